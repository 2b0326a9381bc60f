-- The lines of skus: who waits for a token, first come first served. Comes after buckets.lua.
--
-- Two keys for each sku, and for each sku three more after those of all:
--   string: its bucket, and of which limit: 'full at (µs):tokens per second:burst', and ':L' while there may be a line
--   string: there while the sku is shut: everybody passes, to hear a no that is true, and nothing is spent
--   zset:   those who stand in line, by their number of arrival
--   zset:   everybody who has a place, by the instant until which they are expected (ms)
--   hash:   those who were passed over, with the number that they keep
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

-- The sku with number s of so many, whose keys begin at KEYS[first]; stored, shut: what its first two keys hold.
-- Without a limit of the caller's it is the one that was last stored.
local function sku_of(first, s, count, stored, shut, per_second, burst)
  local full_at, stored_rate, stored_burst, lined = string.match(stored or '', '^(%d+):([^:]+):([^:]+):?(L?)$')
  per_second, burst = per_second or stored_rate or '1', burst or stored_burst or '1'
  local rate, lines = bucket_rate(per_second, burst), first + 2 * count + 3 * (s - 1)
  local full, astray = bucket_full_at(rate, full_at)
  return {
    bucket = KEYS[first + 2 * (s - 1)], line = KEYS[lines], expected = KEYS[lines + 1], passed_over = KEYS[lines + 2],
    limit = ':' .. per_second .. ':' .. burst, rate = rate, full_at = full, astray = astray,
    -- As this run began.
    tokens = bucket_tokens(rate, full), shut = shut, present = 0,
    places = lined == 'L' and redis.call('ZCARD', KEYS[lines + 1]) or 0,
    -- What this run did: tokens spent, some of them by newcomers, and places given.
    spent = 0, newcomers = 0, joined = 0,
    -- By id: how many people are ahead of a place that this run gave; false when it passed with the place it had.
    given = {},
  }
end

-- Notes for the end of the run: arguments of one command about a sku.
local function note(sku, what, ...)
  local list = sku[what]
  if not list then
    list = {}
    sku[what] = list
  end
  for i = 1, select('#', ...) do list[#list + 1] = (select(i, ...)) end
end

local function pass_over(sku, ids, rules)
  local fields = {}
  for i, number in ipairs(redis.call('ZMSCORE', sku.line, unpack(ids))) do
    fields[2 * i - 1], fields[2 * i] = ids[i], number
  end
  redis.call('HSET', sku.passed_over, unpack(fields))
  redis.call('PEXPIRE', sku.passed_over, rules.kept)
  redis.call('ZREM', sku.line, unpack(ids))
end

local function clear_lapsed(sku, rules)
  local until_ms = string.format('%.0f', now_ms - rules.lapse)
  local lapsed = redis.call('ZRANGEBYSCORE', sku.expected, '-inf', until_ms, 'LIMIT', 0, MOST_LAPSED)
  if #lapsed == 0 then return end
  redis.call('ZREM', sku.line, unpack(lapsed))
  redis.call('HDEL', sku.passed_over, unpack(lapsed))
  redis.call('ZREM', sku.expected, unpack(lapsed))
  sku.places = sku.places - #lapsed
end

-- Puts the line in order before anybody is judged by it. These writes stand by themselves, whatever comes after them.
-- comers: the ids that are here now, whenever they were expected.
local function line_tidy(sku, comers, rules)
  clear_lapsed(sku, rules)
  local here = {}
  local numbers = redis.call('HMGET', sku.passed_over, unpack(comers))
  for i, id in ipairs(comers) do
    here[id] = true
    if numbers[i] then
      redis.call('ZADD', sku.line, numbers[i], id)
      redis.call('HDEL', sku.passed_over, id)
    end
  end
  local standing, looked = 0, 0
  while standing < sku.tokens and looked < MOST_HEADS do
    local heads = redis.call('ZRANGE', sku.line, standing, standing + 99)
    if #heads == 0 then break end
    looked = looked + #heads
    local overdue = {}
    for i, instant in ipairs(redis.call('ZMSCORE', sku.expected, unpack(heads))) do
      if here[heads[i]] or tonumber(instant or '0') >= now_ms then
        standing = standing + 1
        if standing == sku.tokens then break end
      else
        overdue[#overdue + 1] = heads[i]
      end
    end
    if #overdue > 0 then pass_over(sku, overdue, rules) end
  end
  sku.present = redis.call('ZCARD', sku.line)
end

-- Whether the id may pass, how many people are ahead of it, and whether it has a place.
local function line_judge(sku, id)
  if sku.shut then return true, 0, sku.places > 0 end
  local given = sku.given[id]
  if given then return false, given, true end
  local rank = given == nil and sku.places > 0 and redis.call('ZRANK', sku.line, id)
  -- All who stand ahead can take their token and one is left: true of the same people in whatever order they come.
  if rank then return rank < sku.tokens and sku.spent < sku.tokens, rank, true end
  local ahead = sku.present + sku.joined + sku.newcomers
  return ahead < sku.tokens and sku.spent < sku.tokens, ahead, false
end

-- Lets an id pass that may.
local function line_pass(sku, id, is_placed)
  if is_placed then
    note(sku, 'gone', id)
    sku.given[id] = false
  end
  if sku.shut then return end
  sku.spent = sku.spent + 1
  if not is_placed then sku.newcomers = sku.newcomers + 1 end
end

-- How many people are ahead of one whose `ahead` was judged, but for those whom this run let through.
local function line_people(sku, ahead)
  return math.max(0, ahead - sku.spent)
end

-- How long until the turn of one with so many people ahead (ms).
local function line_wait(sku, ahead)
  return bucket_wait(sku.rate, sku.full_at, ahead + 1)
end

-- When such a one shall come again (ms).
local function line_retry(sku, ahead, rules)
  return math.min(rules.most_retry, math.max(rules.least_retry, line_wait(sku, ahead)))
end

-- Notes until when an id is expected.
local function line_expect(sku, id, until_ms)
  note(sku, 'told', string.format('%.0f', until_ms), id)
end

-- Gives an id the last place. The number is the time, or one more than the last of those who stand in line.
local function line_join(sku, id, ahead)
  if not sku.last then
    local last = redis.call('ZRANGE', sku.line, -1, -1, 'WITHSCORES')
    sku.last = math.max(now, tonumber(last[2] or '0') + 1) - 1
  end
  sku.last = sku.last + 1
  sku.joined = sku.joined + 1
  sku.given[id] = ahead
  note(sku, 'joining', string.format('%.0f', sku.last), id)
end

-- Writes what this run changed. The bucket is kept as long as the line: its limit is read by whoever asks for a place.
local function line_store(sku, rules)
  if sku.spent > 0 or sku.astray or sku.told then
    local lined = sku.places > 0 or sku.told
    local rest = lined and sku.limit .. ':L' or sku.limit
    bucket_store(sku.bucket, sku.full_at + sku.spent * sku.rate.interval, rest, lined and rules.kept or 0)
  end
  if sku.joining then redis.call('ZADD', sku.line, unpack(sku.joining)) end
  if sku.told then redis.call('ZADD', sku.expected, unpack(sku.told)) end
  if sku.gone then
    redis.call('ZREM', sku.line, unpack(sku.gone))
    redis.call('ZREM', sku.expected, unpack(sku.gone))
    if sku.shut then redis.call('HDEL', sku.passed_over, unpack(sku.gone)) end
  end
  if sku.told then
    redis.call('PEXPIRE', sku.line, rules.kept)
    redis.call('PEXPIRE', sku.expected, rules.kept)
    redis.call('PEXPIRE', sku.passed_over, rules.kept)
  end
end
