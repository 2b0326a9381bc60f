-- Counts the gateways that are there, and notes that this one is, or that it leaves. Comes after gateways.lua.
--
-- KEYS[1]  string: since when marks are kept here: see gateways.lua
-- KEYS[2]  zset: instances by when they last had a reply (ms)
-- ARGV[1]  this instance, [2] 1 when it is there, 0 when it leaves
-- ARGV[3]  when the last reply that it has had was made (ms), [4] how long it may be without one (ms)
-- ARGV[5]  how long one that is not heard of any more counts (ms), [6] until it is taken for dead (ms)
--
-- Returns when it ran (ms) and the number of gateways.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

if ARGV[2] == '1' then
  marks_known_since(KEYS[1], KEYS[2], ARGV[1], ARGV[3], now, tonumber(ARGV[4]))
else
  redis.call('ZREM', KEYS[2], ARGV[1])
end
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now - tonumber(ARGV[6])))
return { now, redis.call('ZCOUNT', KEYS[2], string.format('(%.0f', now - tonumber(ARGV[5])), '+inf') }
