-- Token buckets by Redis time: what the scripts that spend tokens begin with.
--
-- A bucket is one instant: when it will be full again (µs). It is never earlier than now, and each token spent moves it
-- on by one interval, so nothing rewinds it, and time that it spent full is not credited later. A token is there as long
-- as the instant lies no further ahead than the bucket is deep. A bucket that is not stored is full.

local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local now_ms = math.floor(now / 1000)

-- Further ahead than any use can have moved it, it was written before the clock was set back, or for a far deeper bucket:
-- it counts as empty then, and nobody is shut out until the clock has caught up.
local ASTRAY = 10000000

-- The bucket as it is now. stored: what `bucket_store` wrote, nil or false when there is nothing.
local function bucket_of(stored, per_second, burst)
  local interval = 1000000 / per_second
  local depth = burst * interval
  local full_at = math.max(tonumber(stored or '0'), now)
  local astray = full_at > now + depth + ASTRAY
  if astray then full_at = now + depth end
  return { interval = interval, depth = depth, full_at = full_at, astray = astray, spent = 0 }
end

-- Whole tokens that were in it when this run began.
local function bucket_tokens(bucket)
  return math.floor((bucket.depth - (bucket.full_at - now)) / bucket.interval + 0.000001)
end

-- How long until so many tokens are in it, counted from when this run began (ms, rounded up).
local function bucket_wait(bucket, tokens)
  return math.max(0, math.ceil((bucket.full_at - now + tokens * bucket.interval - bucket.depth) / 1000 - 0.000001))
end

-- When it will be full, with what this run spent (text, whole µs), and how long until then (ms).
local function bucket_after(bucket)
  local full_at = math.ceil(bucket.full_at + bucket.spent * bucket.interval)
  return string.format('%.0f', full_at), math.ceil((full_at - now) / 1000)
end

-- Writes it when it changed. It is forgotten a second after it is full.
local function bucket_store(key, bucket)
  if bucket.spent == 0 and not bucket.astray then return end
  local full_at, full_in = bucket_after(bucket)
  redis.call('SET', key, full_at, 'PX', full_in + 1000)
end
