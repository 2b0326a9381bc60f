-- Leases tokens of buckets to a process, in the order given. Comes after buckets.lua.
--
-- KEYS     per lease, a string: the bucket
-- ARGV     per lease: tokens per second, burst, tokens wanted
--
-- Returns per lease: the number of tokens, and when there are none how long until the next (ms), else 0.
-- Errors: 'limit' when a rate is not above 0 or a burst below 1. Nothing is written then.

local rates = {}
for i = 1, #KEYS do
  rates[i] = bucket_rate(ARGV[3 * i - 2], ARGV[3 * i - 1])
  if not rates[i] then return redis.error_reply('limit') end
end

local stored, full, result = redis.call('MGET', unpack(KEYS)), {}, {}
for i = 1, #KEYS do
  local key, rate = KEYS[i], rates[i]
  local full_at = full[key] or bucket_full_at(rate, stored[i])
  local left = math.max(0, bucket_tokens(rate, full_at))
  local tokens = math.min(left, math.max(0, math.floor(tonumber(ARGV[3 * i]))))
  result[2 * i - 1] = tokens
  result[2 * i] = left > 0 and 0 or bucket_wait(rate, full_at, 1)
  full[key] = full_at + tokens * rate.interval
end
for key, full_at in pairs(full) do bucket_store(key, full_at, '', 0) end
return result
