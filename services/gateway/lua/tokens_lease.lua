-- Leases tokens of buckets to a process, in the order given. Comes after buckets.lua.
--
-- KEYS     per lease, a string: the bucket
-- ARGV     per lease: tokens per second, burst, tokens wanted
--
-- Returns per lease: the number of tokens, and when there are none how long until the next (ms), else 0.
-- Errors: 'limit' when a rate is not above 0 or a burst below 1. Nothing is written then.

for at = 1, #ARGV, 3 do
  local rate, burst = tonumber(ARGV[at]), tonumber(ARGV[at + 1])
  if not (rate and burst and rate > 0 and rate < math.huge and burst >= 1 and burst < math.huge) then
    return redis.error_reply('limit')
  end
end

local stored, buckets, result = redis.call('MGET', unpack(KEYS)), {}, {}
for i = 1, #KEYS do
  local at = 3 * i - 2
  local bucket = buckets[KEYS[i]] or bucket_of(stored[i], tonumber(ARGV[at]), tonumber(ARGV[at + 1]))
  buckets[KEYS[i]] = bucket
  local left = math.max(0, bucket_tokens(bucket) - bucket.spent)
  local tokens = math.min(left, math.max(0, math.floor(tonumber(ARGV[at + 2]))))
  bucket.spent = bucket.spent + tokens
  result[2 * i - 1] = tokens
  result[2 * i] = left > 0 and 0 or bucket_wait(bucket, bucket.spent + 1)
end
for key, bucket in pairs(buckets) do bucket_store(key, bucket) end
return result
