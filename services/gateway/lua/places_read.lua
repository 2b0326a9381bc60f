-- Tells where places in line have got to; asking keeps them. Comes after buckets.lua and lines.lua.
--
-- KEYS     per sku, two keys, and then, per sku, three more: see lines.lua
-- ARGV[1]  number of skus
-- ARGV[2…6] rules of the line: see lines.lua
-- ARGV     then, per place: number of the sku, user
--
-- Returns three integers per place: a code, people ahead, retry after (ms).
--   0 GONE     no such place: it passed, or was lost
--   1 DUE      the request would pass now
--   2 WAITING

local GONE, DUE, WAITING = 0, 1, 2

local rules, sku_count, first_place = line_rules(2), tonumber(ARGV[1]), 7
local stored = redis.call('MGET', unpack(KEYS, 1, 2 * sku_count))
local skus, comers = {}, {}
for at = first_place, #ARGV, 2 do
  local s = tonumber(ARGV[at])
  comers[s] = comers[s] or {}
  table.insert(comers[s], ARGV[at + 1])
end
for s, ids in pairs(comers) do
  skus[s] = sku_of(1, s, sku_count, stored[2 * s - 1], stored[2 * s] and true)
  if skus[s].places > 0 then line_tidy(skus[s], ids, rules) end
end

local result = {}
for at = first_place, #ARGV, 2 do
  local sku, user = skus[tonumber(ARGV[at])], ARGV[at + 1]
  local rank = sku.places > 0 and redis.call('ZRANK', sku.line, user)
  local code, ahead, retry = GONE, 0, 0
  if rank then
    local passes = sku.shut or rank < sku.tokens
    code, ahead = passes and DUE or WAITING, passes and 0 or rank
    retry = passes and 0 or line_retry(sku, rank, rules)
    line_expect(sku, user, now_ms + retry + rules.grace)
  end
  result[#result + 1] = code
  result[#result + 1] = ahead
  result[#result + 1] = retry
end
for _, sku in pairs(skus) do line_store(sku, rules) end
return result
