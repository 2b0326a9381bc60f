-- Gives the units of an order back that could not be written, once.
-- KEYS[1] hash of the sku: field free; KEYS[2] hash of its orders: order id -> units
-- ARGV[1] order id
-- Returns how many came back
local units = tonumber(redis.call('HGET', KEYS[2], ARGV[1]) or '0')
if units == 0 then return 0 end
redis.call('HDEL', KEYS[2], ARGV[1])
redis.call('HINCRBY', KEYS[1], 'free', units)
return units
