-- Marks claims as promised: their callers were answered PENDING, so whoever sweeps admits them if nobody else does.
--
-- KEYS[1]  hash: promised claims by order id
-- ARGV     per claim: order id, the encoded claim (text)
--
-- Returns the number of claims marked. A claim that is already promised keeps its first stamp.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local marked = 0
for at = 1, #ARGV, 2 do
  marked = marked + redis.call('HSETNX', KEYS[1], ARGV[at], string.format('%.0f', now) .. ':' .. ARGV[at + 1])
end
return marked
