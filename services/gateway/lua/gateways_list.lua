-- Lists where the gateways listen, and notes that this one is there, or that it leaves.
--
-- KEYS[1]  zset: gRPC addresses by when their gateway last said so (ms)
-- ARGV[1]  this gateway's address, [2] 1 when it is there, 0 when it leaves
-- ARGV[3]  after how long one that is not heard of any more is forgotten (ms)
--
-- Returns the addresses.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

if ARGV[2] == '1' then
  redis.call('ZADD', KEYS[1], string.format('%.0f', now), ARGV[1])
else
  redis.call('ZREM', KEYS[1], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now - tonumber(ARGV[3])))
return redis.call('ZRANGE', KEYS[1], 0, -1)
