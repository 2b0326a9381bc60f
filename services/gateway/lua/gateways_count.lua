-- Counts the gateways that are there, and notes that this one is, or that it leaves.
--
-- KEYS[1]  zset: instances by the instant at which they were last seen (ms)
-- ARGV[1]  this instance, [2] 1 when it is there, 0 when it leaves
-- ARGV[3]  how long one that is not seen any more counts (ms)
--
-- Returns their number.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

if ARGV[2] == '1' then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[3])))
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return redis.call('ZCARD', KEYS[1])
