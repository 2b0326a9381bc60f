-- Takes units of one sku for an order, once.
-- KEYS[1] hash of the sku: field free; KEYS[2] hash of its orders: order id -> units
-- ARGV[1] order id, ARGV[2] units wanted
-- Returns 1 taken (also when it was before), 0 too few are free
if redis.call('HEXISTS', KEYS[2], ARGV[1]) == 1 then return 1 end
local wanted = tonumber(ARGV[2])
local free = tonumber(redis.call('HGET', KEYS[1], 'free') or '0')
if free < wanted then return 0 end
redis.call('HINCRBY', KEYS[1], 'free', -wanted)
redis.call('HSET', KEYS[2], ARGV[1], wanted)
return 1
