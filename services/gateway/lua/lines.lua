-- The lines of skus: who waits for a token, first come first served. Comes after buckets.lua.
--
-- Five keys for each sku, in this order:
--   +0  string: its bucket, and of which limit: 'full at (µs):tokens per second:burst'
--   +1  string: there while the sku is shut: everybody passes, to hear a no that is true, and nothing is spent
--   +2  zset:   those who stand in line, by their number of arrival
--   +3  zset:   everybody who has a place, by the instant until which they are expected (ms)
--   +4  hash:   those who were passed over, with the number that they keep
-- A request passes when the bucket has more tokens than there are people ahead of it. Who is overdue at the head is
-- passed over, comes before all behind once back, and loses the place `lapse` after they were expected.

-- The most heads that one run looks at, and the most lapsed places that it clears.
local MOST_HEADS, MOST_LAPSED = 1000, 500

-- ARGV[at…]  places in a line at most, least and most that one is told to wait (ms), how much later than told one may
-- come before being overdue (ms), and how much longer the place is kept (ms)
local function line_rules(at)
  local least_retry, most_retry = tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local grace, lapse = tonumber(ARGV[at + 3]), tonumber(ARGV[at + 4])
  return {
    most_places = tonumber(ARGV[at]), least_retry = least_retry, most_retry = most_retry, grace = grace, lapse = lapse,
    -- The keys of a line are forgotten when nobody was told anything for so long.
    kept = most_retry + grace + lapse + 1000,
  }
end

-- The sku whose first key is KEYS[at]. Without a limit of the caller's it is the one that was last stored; a bucket that
-- is not stored is full then, and lets one through.
local function sku_of(at, per_second, burst)
  local have = redis.call('MGET', KEYS[at], KEYS[at + 1])
  local full_at, stored_rate, stored_burst = string.match(have[1] or '', '^(%d+):(.+):(.+)$')
  per_second, burst = per_second or stored_rate or '1', burst or stored_burst or '1'
  local bucket = bucket_of(full_at, tonumber(per_second), tonumber(burst))
  return {
    at = at, limit = ':' .. per_second .. ':' .. burst, bucket = bucket, tokens = bucket_tokens(bucket),
    shut = have[2] ~= false, places = redis.call('ZCARD', KEYS[at + 3]), present = 0,
    -- What this run adds: newcomers who passed, and who left, joined or was told to wait.
    newcomers = 0, gone = {}, joined = {}, joined_count = 0, told = {},
  }
end

local function pass_over(sku, ids, rules)
  local line, passed_over, fields = KEYS[sku.at + 2], KEYS[sku.at + 4], {}
  for i, number in ipairs(redis.call('ZMSCORE', line, unpack(ids))) do
    fields[2 * i - 1], fields[2 * i] = ids[i], number
  end
  redis.call('HSET', passed_over, unpack(fields))
  redis.call('PEXPIRE', passed_over, rules.kept)
  redis.call('ZREM', line, unpack(ids))
end

-- Puts the line in order before anybody is judged by it. These writes stand by themselves, whatever comes after them.
-- comers: the ids that are here now, whenever they were expected.
local function line_tidy(sku, comers, rules)
  if sku.places == 0 then return end
  local line, expected, passed_over = KEYS[sku.at + 2], KEYS[sku.at + 3], KEYS[sku.at + 4]
  local lapsed = redis.call('ZRANGEBYSCORE', expected, '-inf', now_ms - rules.lapse, 'LIMIT', 0, MOST_LAPSED)
  if #lapsed > 0 then
    redis.call('ZREM', line, unpack(lapsed))
    redis.call('HDEL', passed_over, unpack(lapsed))
    redis.call('ZREM', expected, unpack(lapsed))
    sku.places = sku.places - #lapsed
  end
  local here = {}
  local numbers = redis.call('HMGET', passed_over, unpack(comers))
  for i, id in ipairs(comers) do
    here[id] = true
    if numbers[i] then
      redis.call('ZADD', line, numbers[i], id)
      redis.call('HDEL', passed_over, id)
    end
  end
  local standing, looked = 0, 0
  while standing < sku.tokens and looked < MOST_HEADS do
    local heads = redis.call('ZRANGE', line, standing, standing + 99)
    if #heads == 0 then break end
    looked = looked + #heads
    local overdue = {}
    for i, instant in ipairs(redis.call('ZMSCORE', expected, unpack(heads))) do
      if here[heads[i]] or tonumber(instant or '0') >= now_ms then
        standing = standing + 1
        if standing == sku.tokens then break end
      else
        overdue[#overdue + 1] = heads[i]
      end
    end
    if #overdue > 0 then pass_over(sku, overdue, rules) end
  end
  sku.present = redis.call('ZCARD', line)
end

-- Whether the id may pass, how many people are ahead of it, and whether it has a place.
local function line_judge(sku, id)
  if sku.shut then return true, 0, sku.places > 0 end
  local rank = sku.places > 0 and redis.call('ZRANK', KEYS[sku.at + 2], id)
  -- All who stand ahead can take their token and one is left: true of the same people in whatever order they come.
  if rank then return rank < sku.tokens and sku.bucket.spent < sku.tokens, rank, true end
  local ahead = sku.present + sku.joined_count + sku.newcomers
  return ahead < sku.tokens and sku.bucket.spent < sku.tokens, ahead, false
end

-- How many people are ahead of one whose `ahead` was judged, but for those whom this run let through.
local function line_people(sku, ahead)
  return math.max(0, ahead - sku.bucket.spent)
end

-- When one with so many people ahead shall come again (ms).
local function line_retry(sku, ahead, rules)
  return math.min(rules.most_retry, math.max(rules.least_retry, bucket_wait(sku.bucket, ahead + 1)))
end

-- Writes what this run changed. The bucket is kept as long as the line: its limit is read by whoever asks for a place.
local function line_store(sku, rules)
  local line, expected, passed_over = KEYS[sku.at + 2], KEYS[sku.at + 3], KEYS[sku.at + 4]
  if sku.bucket.spent > 0 or sku.bucket.astray or #sku.told > 0 then
    local full_at, full_in = bucket_after(sku.bucket)
    local lined = sku.places > 0 or #sku.told > 0
    redis.call('SET', KEYS[sku.at], full_at .. sku.limit, 'PX', math.max(full_in + 1000, lined and rules.kept or 0))
  end
  if sku.joined_count > 0 then redis.call('ZADD', line, unpack(sku.joined)) end
  if #sku.told > 0 then redis.call('ZADD', expected, unpack(sku.told)) end
  if #sku.gone > 0 then
    redis.call('ZREM', line, unpack(sku.gone))
    redis.call('ZREM', expected, unpack(sku.gone))
    if sku.shut then redis.call('HDEL', passed_over, unpack(sku.gone)) end
  end
  if #sku.told > 0 then
    redis.call('PEXPIRE', line, rules.kept)
    redis.call('PEXPIRE', expected, rules.kept)
    redis.call('PEXPIRE', passed_over, rules.kept)
  end
end

-- Notes until when an id is expected.
local function line_expect(sku, id, until_ms)
  sku.told[#sku.told + 1] = string.format('%.0f', until_ms)
  sku.told[#sku.told + 1] = id
end

-- Gives an id the last place. The number is the time, or one more than the last of those who stand in line.
local function line_join(sku, id)
  if not sku.last then
    local last = redis.call('ZRANGE', KEYS[sku.at + 2], -1, -1, 'WITHSCORES')
    sku.last = math.max(now, tonumber(last[2] or '0') + 1) - 1
  end
  sku.last = sku.last + 1
  sku.joined[#sku.joined + 1] = string.format('%.0f', sku.last)
  sku.joined[#sku.joined + 1] = id
  sku.joined_count = sku.joined_count + 1
end
