-- Begins a batch of requests, in the order given: looks at the mark of each, lets it pay and marks it as executing. Comes
-- after buckets.lua, lines.lua and gateways.lua. A mark that is there has paid: nothing is spent for it again.
--
-- KEYS[1]  string: since when marks are kept here, [2] zset: gateways: see gateways.lua
-- KEYS     then, per request, a string: its mark, packed:
--            'E' executing: fingerprint, owner, end of its lease (ms), since when marks were known when it began (ms; 0 when
--                           it is not the first, or may have begun once before), 1 when its order was changed since, else 0
--            'T' tried:     fingerprint, 1 when its order was changed since, else 0
--            'D' done:      fingerprint, outcome (a number of the caller's), told at (ms), answer (text)
-- KEYS     then, per user, a string: the user's bucket
-- KEYS     then, per sku, two keys, and then, per sku, three more: see lines.lua
-- ARGV[1]  number of requests, [2] of users, [3] of skus
-- ARGV[4]  lease of a mark (ms), [5] how long a mark is kept (ms)
-- ARGV[6]  a user's tokens per second, [7] and burst
-- ARGV[8] this gateway, [9] when the last reply that it has had was made (ms), [10] how long it may be without one (ms)
-- ARGV[11…15] rules of the line: see lines.lua
-- ARGV     then, per sku: tokens per second, burst
-- ARGV     then, per request: fingerprint, owner, number of its user (0 for none), number of skus n (-1: it begins only if
--          its mark is there), and n times:
--          number of the sku, 'Q' to stand in line for it or 'F' to be refused
--
-- Returns when it ran (ms), then per request a code and what belongs to it:
--   1 GO           known for (ms): no other try of it began within this time; 0 when one is known of, or cannot be ruled out
--   2 IN_PROGRESS
--   3 DONE         outcome, age (ms), answer (text)
--   4 REUSED
--   5 QUEUED       number of the sku, people ahead, retry after (ms)
--   6 LIMITED      number of the sku, or 0 for the user's bucket, retry after (ms)
--   7 UNKNOWN      it has no mark
-- Errors: 'limit' when a rate is not above 0 or a burst below 1. Nothing is written then.

local GO, IN_PROGRESS, DONE, REUSED, QUEUED, LIMITED, UNKNOWN = 1, 2, 3, 4, 5, 6, 7
-- Taken off the time a mark is kept: a try may have begun just before.
local MARGIN = 60000

local request_count, user_count, sku_count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local lease, retention = tonumber(ARGV[4]), tonumber(ARGV[5])
local user_rate, rules = bucket_rate(ARGV[6], ARGV[7]), line_rules(11)
local first_sku, first_request = 16, 16 + 2 * sku_count
local first_user_key, first_sku_key = 3 + request_count, 3 + request_count + user_count

if not user_rate then return redis.error_reply('limit') end
for at = first_sku, first_request - 1, 2 do
  if not bucket_rate(ARGV[at], ARGV[at + 1]) then return redis.error_reply('limit') end
end

-- What is there of marks, buckets of users, and buckets and shut signs of skus, in the order of KEYS from the third.
local stored = redis.call('MGET', unpack(KEYS, 3, first_sku_key - 1 + 2 * sku_count))
local mark_prefix = #string.match(KEYS[3], '^[^}]*}:mark:')
local user_prefix = user_count > 0 and #string.match(KEYS[first_user_key], '^[^}]*}:user:')

-- Whose place it is: the user's, who has one in each line, whatever they ask for; that of a request which has no user is its own.
local function place_id(key, user)
  if user == 0 then return string.sub(key, mark_prefix + 1) end
  return string.sub(KEYS[first_user_key + user - 1], user_prefix + 1)
end

-- Marks by key: unpacked, or where in ARGV the request is that goes in this run.
local marks, going = {}, {}
-- Skus by number, of requests without a mark, and the ids of those who come where there is a line.
local skus, comers = {}, {}

local function open_sku(s)
  local stored_at, limit_at = request_count + user_count + 2 * s, first_sku + 2 * s - 2
  local shut = stored[stored_at] and true
  local sku = sku_of(first_sku_key, s, sku_count, stored[stored_at - 1], shut, ARGV[limit_at], ARGV[limit_at + 1])
  if sku.places > 0 and not shut then comers[s] = {} end
  skus[s] = sku
end

local at = first_request
for i = 1, request_count do
  local n = tonumber(ARGV[at + 3])
  if stored[i] then
    marks[KEYS[2 + i]] = { cmsgpack.unpack(stored[i]) }
  else
    for l = at + 4, at + 2 + 2 * n, 2 do
      local s = tonumber(ARGV[l])
      if not skus[s] then open_sku(s) end
      if comers[s] then table.insert(comers[s], place_id(KEYS[2 + i], tonumber(ARGV[at + 2]))) end
    end
  end
  at = at + 4 + 2 * math.max(n, 0)
end
for s, ids in pairs(comers) do line_tidy(skus[s], ids, rules) end

local since = marks_known_since(KEYS[1], KEYS[2], ARGV[8], ARGV[9], now_ms, tonumber(ARGV[10]))
local known_for = math.max(0, math.min(now_ms - since, retention - MARGIN))

local result, size = { now_ms }, 1
local function put(value)
  size = size + 1
  result[size] = value
end

-- Answers from a mark that is there. True when the request goes.
local function meet(mark, fingerprint, owner)
  local state = mark[1]
  if mark[2] ~= fingerprint then
    put(REUSED)
  elseif state == 'D' then
    put(DONE) put(mark[3]) put(math.max(0, now_ms - mark[4])) put(mark[5])
  -- The same owner again has lost the reply to its first.
  elseif state == 'T' or mark[4] <= now_ms or mark[3] == owner then
    put(GO) put(0)
    return true
  else
    put(IN_PROGRESS)
  end
end

-- Answers from a mark that this run made, of the request that begins at ARGV[first].
local function meet_going(first, fingerprint, owner)
  if ARGV[first] ~= fingerprint then put(REUSED)
  elseif ARGV[first + 1] ~= owner then put(IN_PROGRESS)
  else put(GO) put(0) end
end

-- Where in the result a request without a mark was told to wait, by key.
local told = {}
local function tell_again(first)
  for i = first, first + (result[first] == QUEUED and 3 or 2) do put(result[i]) end
end

-- Puts a request in the line of the one sku that is short of tokens, or says when there will be one.
local function wait(id, s, ahead, is_placed, may_queue)
  local sku = skus[s]
  if not may_queue or (not is_placed and sku.places + sku.joined >= rules.most_places) then
    put(LIMITED) put(s) put(line_wait(sku, ahead))
    return
  end
  local retry = line_retry(sku, ahead, rules)
  put(QUEUED) put(s) put(line_people(sku, ahead)) put(retry)
  if not is_placed then line_join(sku, id, ahead) end
  line_expect(sku, id, now_ms + retry + rules.grace)
end

-- Whether a request may pass at each of its skus, ARGV[first…last]; when not, it waits for the first that is short.
local function pass_skus(id, first, last)
  local short, short_ahead, short_placed, may_queue
  local placed = {}
  for l = first, last, 2 do
    local s = tonumber(ARGV[l])
    local passes, ahead, is_placed = line_judge(skus[s], id)
    placed[l] = is_placed
    if not passes and not short then short, short_ahead, short_placed, may_queue = s, ahead, is_placed, ARGV[l + 1] == 'Q' end
  end
  for l = first, last, 2 do
    local s = tonumber(ARGV[l])
    if not short then
      line_pass(skus[s], id, placed[l])
    elseif placed[l] and s ~= short and not skus[s].shut then
      -- It keeps its number there, and nobody waits for it.
      line_expect(skus[s], id, now_ms - 1)
    end
  end
  if short then wait(id, short, short_ahead, short_placed, may_queue) end
  return not short
end

-- By number of the user: when the bucket will be full with what this run spent.
local users = {}

-- Lets a request without a mark pay, all or nothing; says what it is told instead when it cannot.
local function pays(key, first, user, n)
  local full_at
  if user > 0 then
    full_at = users[user] or bucket_full_at(user_rate, stored[request_count + user])
    if bucket_tokens(user_rate, full_at) < 1 then
      put(LIMITED) put(0) put(bucket_wait(user_rate, full_at, 1))
      return false
    end
  end
  if n > 0 and not pass_skus(place_id(key, user), first, first + 2 * n - 2) then return false end
  if full_at then users[user] = full_at + user_rate.interval end
  return true
end

at = first_request
for i = 1, request_count do
  local key, n = KEYS[2 + i], tonumber(ARGV[at + 3])
  if going[key] then
    meet_going(going[key], ARGV[at], ARGV[at + 1])
  elseif marks[key] then
    if meet(marks[key], ARGV[at], ARGV[at + 1]) then going[key] = at end
  elseif n < 0 then
    put(UNKNOWN)
  elseif told[key] then
    tell_again(told[key])
  else
    local first = size + 1
    if pays(key, at + 4, tonumber(ARGV[at + 2]), n) then
      put(GO) put(known_for)
      going[key] = at
    else
      told[key] = first
    end
  end
  at = at + 4 + 2 * math.max(n, 0)
end

-- Marks come first: where there is no room for them nothing was spent.
for key, first in pairs(going) do
  local mark = marks[key]
  local known_since, changed = since, 0
  if mark then known_since, changed = 0, mark[#mark] end
  local executing = cmsgpack.pack('E', ARGV[first], ARGV[first + 1], now_ms + lease, known_since, changed)
  redis.call('SET', key, executing, 'PX', ARGV[5])
end
for user, full_at in pairs(users) do bucket_store(KEYS[first_user_key + user - 1], full_at, '', 0) end
for _, sku in pairs(skus) do line_store(sku, rules) end
return result
