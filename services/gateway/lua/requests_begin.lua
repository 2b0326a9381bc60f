-- Begins a batch of requests, in the order given: looks at the mark of each, lets it pay and marks it as executing. Comes
-- after buckets.lua, lines.lua and gateways.lua. A mark that is there has paid: nothing is spent for it again.
--
-- KEYS[1]  string: since when marks are kept here, [2] zset: gateways: see gateways.lua
-- KEYS     then, per request, a string: its mark, packed:
--            'E' executing: fingerprint, owner, end of its lease (ms), 1 when its order was changed since, else 0
--            'T' tried:     fingerprint, 1 when its order was changed since, else 0
--            'D' done:      fingerprint, outcome (a number of the caller's), told at (ms), answer (bytes)
-- KEYS     then, per user, a string: the user's bucket
-- KEYS     then, per sku, five keys: see lines.lua
-- ARGV[1]  number of requests, [2] of users, [3] of skus
-- ARGV[4]  lease of a mark (ms), [5] how long a mark is kept (ms)
-- ARGV[6]  a user's tokens per second, [7] and burst
-- ARGV[8] this gateway, [9] when the last reply that it has had was made (ms), [10] how long it may be without one (ms)
-- ARGV[11…15] rules of the line: see lines.lua
-- ARGV     then, per sku: tokens per second, burst
-- ARGV     then, per request: fingerprint, owner, number of its user (0 for none), number of skus n, and n times:
--          number of the sku, 'Q' to stand in line for it or 'F' to be refused
--
-- Returns when it ran (ms), then per request a code and what belongs to it:
--   1 GO           known for (ms): no other try of it began within this time; 0 when one is known of, or cannot be ruled out
--   2 IN_PROGRESS
--   3 DONE         outcome, age (ms), answer (bytes)
--   4 REUSED
--   5 QUEUED       number of the sku, people ahead, retry after (ms)
--   6 LIMITED      number of the sku, or 0 for the user's bucket, retry after (ms)
-- Errors: 'limit' when a rate is not above 0 or a burst below 1. Nothing is written then.

local GO, IN_PROGRESS, DONE, REUSED, QUEUED, LIMITED = 1, 2, 3, 4, 5, 6
-- Taken off the time a mark is kept: a try may have begun just before.
local MARGIN = 60000

local request_count, user_count, sku_count = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local lease, retention = tonumber(ARGV[4]), tonumber(ARGV[5])
local user_rate, user_burst = tonumber(ARGV[6]), tonumber(ARGV[7])
local rules = line_rules(11)
local first_sku, first_request = 16, 16 + 2 * sku_count

local function is_limit(rate, burst)
  return rate and burst and rate > 0 and rate < math.huge and burst >= 1 and burst < math.huge
end

if not is_limit(user_rate, user_burst) then return redis.error_reply('limit') end
for s = 0, sku_count - 1 do
  if not is_limit(tonumber(ARGV[first_sku + 2 * s]), tonumber(ARGV[first_sku + 2 * s + 1])) then
    return redis.error_reply('limit')
  end
end

-- What is known of a mark: { state, fingerprint, … } as packed; nil when it is not there.
local marks = {}
local stored = redis.call('MGET', unpack(KEYS, 3, 2 + request_count))
for i = 1, request_count do
  if stored[i] and not marks[KEYS[2 + i]] then marks[KEYS[2 + i]] = { cmsgpack.unpack(stored[i]) } end
end

local users, buckets = user_count > 0 and redis.call('MGET', unpack(KEYS, 3 + request_count, 2 + request_count + user_count)), {}
local function bucket_of_user(u)
  buckets[u] = buckets[u] or bucket_of(users[u], user_rate, user_burst)
  return buckets[u]
end

-- The skus of requests without a mark, with the ids of those who come for them.
local skus, comers = {}, {}
local mark_prefix = #string.match(KEYS[3], '^[^}]*}:mark:')
local at = first_request
for i = 1, request_count do
  local n = tonumber(ARGV[at + 3])
  if not marks[KEYS[2 + i]] then
    for l = 0, n - 1 do
      local s = tonumber(ARGV[at + 4 + 2 * l])
      comers[s] = comers[s] or {}
      table.insert(comers[s], string.sub(KEYS[2 + i], mark_prefix + 1))
    end
  end
  at = at + 4 + 2 * n
end
for s, ids in pairs(comers) do
  local first_key = 3 + request_count + user_count + 5 * (s - 1)
  skus[s] = sku_of(first_key, ARGV[first_sku + 2 * s - 2], ARGV[first_sku + 2 * s - 1])
  line_tidy(skus[s], ids, rules)
end

local since = marks_known_since(KEYS[1], KEYS[2], ARGV[8], ARGV[9], now_ms, tonumber(ARGV[10]))
local known_for = math.max(0, math.min(now_ms - since, retention - MARGIN))

local result, going, told = { now_ms }, {}, {}

local function answer(...)
  for i = 1, select('#', ...) do result[#result + 1] = (select(i, ...)) end
end

local function go(i, fingerprint, owner, changed, first_for)
  local key = KEYS[2 + i]
  marks[key] = { 'E', fingerprint, owner, now_ms + lease, changed }
  going[key] = true
  answer(GO, first_for)
end

-- Answers from a mark that is there.
local function meet(i, mark, fingerprint, owner)
  local state = mark[1]
  if mark[2] ~= fingerprint then answer(REUSED)
  elseif state == 'D' then answer(DONE, mark[3], math.max(0, now_ms - mark[4]), mark[5])
  elseif state == 'T' then go(i, fingerprint, owner, mark[3], 0)
  -- The same owner again has lost the reply to its first.
  elseif mark[4] <= now_ms or mark[3] == owner then go(i, fingerprint, owner, mark[5], 0)
  else answer(IN_PROGRESS) end
end

-- Puts a request in the line of the one sku that is short of tokens, or says when there will be one.
local function wait(id, s, ahead, is_placed, may_queue)
  local sku = skus[s]
  if not may_queue or (not is_placed and sku.places + sku.joined_count >= rules.most_places) then
    return { LIMITED, s, bucket_wait(sku.bucket, ahead + 1) }
  end
  local people, retry = line_people(sku, ahead), line_retry(sku, ahead, rules)
  if not is_placed then line_join(sku, id) end
  line_expect(sku, id, now_ms + retry + rules.grace)
  return { QUEUED, s, people, retry }
end

-- Lets a request without a mark pay, all or nothing. Returns what it is told instead when it cannot.
local function pay(id, first, user, n)
  local purse = user > 0 and bucket_of_user(user)
  if purse and purse.spent >= bucket_tokens(purse) then
    return { LIMITED, 0, bucket_wait(purse, purse.spent + 1) }
  end
  local short, placed = nil, {}
  for l = 0, n - 1 do
    local s = tonumber(ARGV[first + 2 * l])
    local passes, ahead, is_placed = line_judge(skus[s], id)
    placed[l] = is_placed
    if not passes and not short then short = { s, ahead, is_placed, ARGV[first + 2 * l + 1] == 'Q' } end
  end
  for l = 0, n - 1 do
    local s = tonumber(ARGV[first + 2 * l])
    local sku = skus[s]
    if short and placed[l] and s ~= short[1] and not sku.shut then
      -- It keeps its number there, and nobody waits for it.
      line_expect(sku, id, now_ms - 1)
    elseif not short then
      if placed[l] then sku.gone[#sku.gone + 1] = id end
      if not sku.shut then
        sku.bucket.spent = sku.bucket.spent + 1
        if not placed[l] then sku.newcomers = sku.newcomers + 1 end
      end
    end
  end
  if short then return wait(id, short[1], short[2], short[3], short[4]) end
  if purse then purse.spent = purse.spent + 1 end
end

at = first_request
for i = 1, request_count do
  local key, fingerprint, owner, user, n = KEYS[2 + i], ARGV[at], ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  if marks[key] then
    meet(i, marks[key], fingerprint, owner)
  elseif told[key] then
    answer(unpack(told[key]))
  else
    told[key] = pay(string.sub(key, mark_prefix + 1), at + 4, user, n)
    if told[key] then answer(unpack(told[key])) else go(i, fingerprint, owner, 0, known_for) end
  end
  at = at + 4 + 2 * n
end

-- Marks come first: where there is no room for them nothing was spent.
for key in pairs(going) do
  local mark = marks[key]
  redis.call('SET', key, cmsgpack.pack(mark[1], mark[2], mark[3], mark[4], mark[5]), 'PX', retention)
end
for u, bucket in pairs(buckets) do bucket_store(KEYS[2 + request_count + u], bucket) end
for _, sku in pairs(skus) do line_store(sku, rules) end
return result
