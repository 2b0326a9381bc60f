-- Removes gates whose sale is over and whose journal is empty.
--
-- KEYS[1]  zset: skus by the instant at which their sale ends (ms, Redis time)
-- KEYS[2…] hash: one gate per sku
-- ARGV     one sku id per gate
--
-- Returns the number of gates that were removed.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local removed = 0
for g = 1, #KEYS - 1 do
  local have = redis.call('HMGET', KEYS[1 + g], 'open_until', 'undecided')
  if not have[1] then
    redis.call('ZREM', KEYS[1], ARGV[g])
  elseif tonumber(have[1]) <= now and tonumber(have[2]) <= 0 then
    redis.call('DEL', KEYS[1 + g])
    redis.call('ZREM', KEYS[1], ARGV[g])
    removed = removed + 1
  end
end
return removed
