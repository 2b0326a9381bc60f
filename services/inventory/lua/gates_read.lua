-- Reads gates with what their journals add up to.
--
-- KEYS[1]  set: skus with undecided claims
-- KEYS[2]  set: skus used since the last sync
-- KEYS[3]  zset: loaded skus by the end of their sale
-- KEYS[4…] hash: one gate per sku
-- ARGV     one sku id per gate
--
-- Returns seven values per gate, in their order: state, let_in, undecided (as counted), version, claims,
-- units (as added up from the claims; -1: too many to add up here), age of the oldest claim (ms). Then three flags as
-- one text of '0' and '1': whether the first, the second and the third of the keys above list the sku. States:
--   LOADED      all figures are there
--   MISSING     there is no gate
--   UNREADABLE  it is of another type, or has what no gate has
--   LATER       not read: the gates before it had claims enough for one call

local MOST_CLAIMS = 5000

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function listed(sku_id)
  local flags = {}
  for k = 1, 2 do
    local is_set = redis.call('TYPE', KEYS[k]).ok == 'set'
    flags[k] = is_set and redis.call('SISMEMBER', KEYS[k], sku_id) or 0
  end
  local is_sorted = redis.call('TYPE', KEYS[3]).ok == 'zset'
  flags[3] = is_sorted and redis.call('ZSCORE', KEYS[3], sku_id) and 1 or 0
  return table.concat(flags)
end

local function whole(text)
  return text and string.match(text, '^-?%d+$')
end

local read = 0
local result = {}
local function answer(state, ...)
  result[#result + 1] = state
  local figures = { ... }
  for f = 1, 6 do result[#result + 1] = figures[f] or '0' end
end

local function read_gate(key)
  local kind = redis.call('TYPE', key).ok
  if kind == 'none' then return answer('MISSING') end
  if kind ~= 'hash' then return answer('UNREADABLE') end
  local have = redis.call('HMGET', key, 'let_in', 'undecided', 'version', 'open_from', 'open_until')
  for f = 1, 5 do
    if not whole(have[f]) then return answer('UNREADABLE') end
  end
  local claims = redis.call('HLEN', key) - 5
  if claims > MOST_CLAIMS then return answer('LOADED', have[1], have[2], have[3], claims, -1, 0) end
  if read > 0 and read + claims > MOST_CLAIMS then return answer('LATER') end
  read = read + claims
  local units, oldest = 0, now
  if claims > 0 then
    local fields = redis.call('HGETALL', key)
    for f = 1, #fields, 2 do
      if string.sub(fields[f], 1, 2) == 'c:' then
        local quantity, stamp = string.match(fields[f + 1], '^(%d+):(%d+)$')
        if not quantity then return answer('UNREADABLE') end
        units = units + tonumber(quantity)
        oldest = math.min(oldest, tonumber(stamp))
      end
    end
  end
  return answer('LOADED', have[1], have[2], have[3], claims, units, string.format('%.0f', now - oldest))
end

for g = 1, #ARGV do
  read_gate(KEYS[3 + g])
  result[#result + 1] = listed(ARGV[g])
end
return result
