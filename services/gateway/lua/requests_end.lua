-- Ends requests, and changes their marks: what was told of them, in the order given. Comes after gateways.lua.
--
-- KEYS[1]  string: since when marks are kept here, [2] zset: gateways: see gateways.lua
-- KEYS     then, per change, a string: the mark, packed as in requests_begin.lua
-- KEYS     then, per sku, a string: there while the sku is shut
-- ARGV[1]  number of changes
-- ARGV[2]  lease of a mark (ms), [3] how long a mark is kept (ms)
-- ARGV[4]  the outcome whose answer is not kept when its order was changed since (a number of the caller's)
-- ARGV[5]  how long a gateway may be without a reply (ms)
-- ARGV     then, per change, a letter, an owner, an outcome and an answer ('' where there is none):
--            'S' store: it is done, with an outcome and its answer (text)
--            'N' store a no that may have no row: as 'S', but only while every gateway keeps marks, and has since it began
--            'A' the same, asked again because nobody heard whether it was stored: it had its effect when the same no is
--                there. When it can not be stored it is left, so that the 'N' has no effect that comes later still
--            'F' forget: there was no try
--            'L' leave: it was tried, whoever tries next executes it
--            'R' renew: its lease is prolonged
--            'C' change: its order is about to be changed
--            'B' born: its order came to be, whatever it was told before with this outcome: that is not told again
-- ARGV     then, per sku: how long it is shut from now (ms), 0 to open it
--
-- Returns per change 1 when it had an effect, else 0. All but 'C' and 'B' need a mark that is executing and of this owner.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local change_count = tonumber(ARGV[1])
local lease, retention, order_outcome = tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local unseen, first_sku = tonumber(ARGV[5]), 6 + 4 * change_count

-- Marks as they become: { the parts, 'PX' to keep it anew or 'KEEPTTL' }, or false when it goes.
local marks, changed = {}, {}
local stored = change_count > 0 and redis.call('MGET', unpack(KEYS, 3, 2 + change_count))
for i = 1, change_count do
  if stored[i] and not marks[KEYS[2 + i]] then marks[KEYS[2 + i]] = { cmsgpack.unpack(stored[i]) } end
end

local function become(key, mark)
  marks[key] = mark
  changed[key] = true
end

local function note_change(key, mark)
  if mark[1] == 'D' then
    if mark[3] ~= order_outcome or mark[5] == '' then return false end
    mark[5] = ''
  else
    mark[#mark] = 1
  end
  become(key, mark)
  return true
end

-- Whether no gateway can have begun to go on without marks between the beginning of a try and this moment. One that did
-- and has had a reply since is not old any more, but it has moved `since`.
local everyone_does, noted_since
local function all_kept_marks(mark)
  if everyone_does == nil then
    everyone_does = all_keep_marks(KEYS[2], now, unseen)
    noted_since = marks_noted_since(KEYS[1])
  end
  return everyone_does and mark[5] == noted_since
end

local function change(key, letter, owner, outcome, answer)
  local mark = marks[key]
  if not mark then return false end
  if letter == 'C' then return note_change(key, mark) end
  if letter == 'B' then
    if mark[1] ~= 'D' or mark[3] ~= outcome then return false end
    become(key, { 'T', mark[2], 0 })
    return true
  end
  if letter == 'A' and mark[1] == 'D' then return mark[3] == outcome and mark[5] == answer end
  if mark[1] ~= 'E' or mark[3] ~= owner then return false end
  if letter == 'N' and not all_kept_marks(mark) then return false end
  if letter == 'A' and not all_kept_marks(mark) then
    become(key, { 'T', mark[2], mark[#mark] })
    return false
  end
  if letter == 'R' then
    mark[4] = now + lease
    become(key, mark)
  elseif letter == 'F' then
    become(key, false)
  elseif letter == 'L' then
    become(key, { 'T', mark[2], mark[#mark] })
  else
    local kept = (mark[#mark] == 1 and outcome == order_outcome) and '' or answer
    become(key, { 'D', mark[2], outcome, now, kept })
  end
  return true
end

local effects = {}
for i = 1, change_count do
  local at = 2 + 4 * i
  local done = change(KEYS[2 + i], ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]) or 0, ARGV[at + 3])
  effects[i] = done and 1 or 0
end

for key in pairs(changed) do
  local mark = marks[key]
  if not mark then redis.call('DEL', key)
  elseif mark[1] == 'E' then redis.call('SET', key, cmsgpack.pack(unpack(mark)), 'KEEPTTL')
  else redis.call('SET', key, cmsgpack.pack(unpack(mark)), 'PX', retention) end
end
for s = change_count + 3, #KEYS do
  local shut_for = tonumber(ARGV[first_sku + s - change_count - 3])
  if shut_for > 0 then redis.call('SET', KEYS[s], '1', 'PX', shut_for) else redis.call('DEL', KEYS[s]) end
end
return effects
