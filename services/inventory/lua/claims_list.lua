-- Lists a page of one gate's claims that have been undecided for long.
--
-- KEYS[1]  set: skus with undecided claims
-- KEYS[2]  hash: the gate
-- ARGV[1]  sku id
-- ARGV[2]  least age (ms)
-- ARGV[3]  cursor: '0' begins
--
-- Returns the next cursor ('0' is the end), then per claim: order id, stamp (ms), age (ms).
-- At the end of a gate without claims its sku leaves the set.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local least_age = tonumber(ARGV[2])

local page = redis.call('HSCAN', KEYS[2], ARGV[3], 'COUNT', 1000)
local result = { page[1] }
for i = 1, #page[2], 2 do
  local order_id = string.match(page[2][i], '^c:(.*)$')
  if order_id then
    local stamp = string.match(page[2][i + 1], ':(%d+)$')
    local age = now - tonumber(stamp)
    if age >= least_age then
      result[#result + 1] = order_id
      result[#result + 1] = stamp
      result[#result + 1] = age
    end
  end
end
if page[1] == '0' and tonumber(redis.call('HGET', KEYS[2], 'undecided') or '0') <= 0 then
  redis.call('SREM', KEYS[1], ARGV[1])
end
return result
