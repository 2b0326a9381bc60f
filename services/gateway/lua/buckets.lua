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

-- How a bucket fills: the time for one token, and for all (µs). Nil for a rate that is not above 0 or a burst below 1.
local function bucket_rate(per_second, burst)
  per_second, burst = tonumber(per_second), tonumber(burst)
  if not (per_second and burst and per_second > 0 and per_second < math.huge and burst >= 1 and burst < math.huge) then
    return nil
  end
  return { interval = 1000000 / per_second, depth = burst * 1000000 / per_second }
end

-- When it will be full, and whether what was stored (text, or nothing) was astray.
local function bucket_full_at(rate, stored)
  local full_at = stored and tonumber(stored) or now
  if full_at < now then return now, false end
  if full_at > now + rate.depth + ASTRAY then return now + rate.depth, true end
  return full_at, false
end

-- Whole tokens that are in it.
local function bucket_tokens(rate, full_at)
  return math.floor((rate.depth - (full_at - now)) / rate.interval + 0.000001)
end

-- How long until so many tokens are in it (ms, rounded up).
local function bucket_wait(rate, full_at, tokens)
  return math.max(0, math.ceil((full_at - now + tokens * rate.interval - rate.depth) / 1000 - 0.000001))
end

-- What was stored last, and its text: a crowd's buckets are mostly alike, and writing numbers is dear.
local last_full_at, last_text, last_kept

-- Stores it, with what shall follow it, until a second after it is full, and for `least` at least (ms).
local function bucket_store(key, full_at, rest, least)
  if full_at ~= last_full_at then
    last_full_at, last_text = full_at, string.format('%.0f', math.ceil(full_at))
    last_kept = math.ceil((full_at - now) / 1000) + 1000
  end
  redis.call('SET', key, last_text .. rest, 'PX', string.format('%.0f', math.max(last_kept, least)))
end
