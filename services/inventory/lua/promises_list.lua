-- Lists a page of the promised claims.
--
-- KEYS[1]  hash: promised claims by order id
-- ARGV[1]  least age (ms)
-- ARGV[2]  cursor: '0' begins
--
-- Returns the next cursor ('0' is the end), then per claim: order id, age (ms), the encoded claim (text).

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local least_age = tonumber(ARGV[1])

local page = redis.call('HSCAN', KEYS[1], ARGV[2], 'COUNT', 500)
local result = { page[1] }
for i = 1, #page[2], 2 do
  local stamp, claim = string.match(page[2][i + 1], '^(%d+):(.*)$')
  local age = now - tonumber(stamp)
  if age >= least_age then
    result[#result + 1] = page[2][i]
    result[#result + 1] = age
    result[#result + 1] = claim
  end
end
return result
