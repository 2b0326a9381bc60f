-- Sets gates from the ledger's word: let-in = free - undecided, never below 0.
--
-- KEYS[1]  zset: skus by the instant at which their sale ends (ms, Redis time)
-- KEYS[2…] hash: one gate per sku
-- ARGV[1]  the ledger's time when it was read (ms). Read before this script runs, so the gate never opens early.
-- ARGV     then, per gate: sku id, free (units), stock version, on sale from (ms, ledger time), until (ms, ledger time)
--
-- Returns the number of gates that were set. A word older than the one a gate has is ignored.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ahead = tonumber(ARGV[1]) - now

local set = 0
for g = 1, #KEYS - 1 do
  local key, at = KEYS[1 + g], 2 + 5 * (g - 1)
  local sku_id, free, version = ARGV[at], tonumber(ARGV[at + 1]), tonumber(ARGV[at + 2])
  local have = redis.call('HMGET', key, 'version', 'undecided')
  if not have[1] or tonumber(have[1]) <= version then
    local undecided = tonumber(have[2] or '0')
    local open_until = tonumber(ARGV[at + 4]) - ahead
    redis.call('HSET', key, 'let_in', math.max(0, free - undecided), 'undecided', undecided, 'version', ARGV[at + 2],
      'open_from', string.format('%.0f', tonumber(ARGV[at + 3]) - ahead), 'open_until', string.format('%.0f', open_until))
    redis.call('ZADD', KEYS[1], string.format('%.0f', open_until), sku_id)
    set = set + 1
  end
end
return set
