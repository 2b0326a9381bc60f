-- Mends what is wrong with gates beside their units, which the next sync sets.
--
-- KEYS[1]  set: skus with undecided claims
-- KEYS[2…] hash: one gate per sku
-- ARGV     per gate: sku id, the stock's version as the ledger has it
--
-- A gate that cannot be read is dropped, with its journal. Else its count of undecided units becomes what its claims add
-- up to, a version that the ledger has not reached becomes 0, so that a sync counts again, and a sku with claims is
-- listed for the sweep. A gate with more than 5000 claims is left as it is.
--
-- Returns the number of gates that were dropped or changed.

local MOST_CLAIMS = 5000

local function whole(text)
  return text and string.match(text, '^-?%d+$')
end

-- What the claims of a gate add up to and how many they are; nothing when the gate cannot be read.
local function journal(key)
  if redis.call('TYPE', key).ok ~= 'hash' then return nil end
  local have = redis.call('HMGET', key, 'let_in', 'undecided', 'version', 'open_from', 'open_until')
  for f = 1, 5 do
    if not whole(have[f]) then return nil end
  end
  local units, claims = 0, 0
  local fields = redis.call('HGETALL', key)
  for f = 1, #fields, 2 do
    if string.sub(fields[f], 1, 2) == 'c:' then
      local quantity = string.match(fields[f + 1], '^(%d+):%d+$')
      if not quantity then return nil end
      units, claims = units + tonumber(quantity), claims + 1
    end
  end
  return units, claims, tonumber(have[2]), tonumber(have[3])
end

local mended = 0
for g = 1, #KEYS - 1 do
  local key, sku_id, version = KEYS[1 + g], ARGV[2 * g - 1], tonumber(ARGV[2 * g])
  local kind = redis.call('TYPE', key).ok
  if kind ~= 'none' and not (kind == 'hash' and redis.call('HLEN', key) > MOST_CLAIMS) then
    local units, claims, undecided, has_version = journal(key)
    local changed = 0
    if not units then
      changed = redis.call('DEL', key)
    else
      if undecided ~= units then
        redis.call('HSET', key, 'undecided', units)
        changed = 1
      end
      if has_version > version then
        redis.call('HSET', key, 'version', 0)
        changed = 1
      end
      if claims > 0 and redis.call('SADD', KEYS[1], sku_id) == 1 then changed = 1 end
    end
    mended = mended + changed
  end
end
return mended
