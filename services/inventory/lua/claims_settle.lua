-- Takes decided, or dropped, claims out of the journal.
--
-- KEYS[1]  set: skus with undecided claims
-- KEYS[2]  hash: promised claims by order id
-- KEYS[3]  set: skus used since the last sync
-- KEYS[4…] hash: one gate per sku
-- ARGV[1]  number of gates g
-- ARGV     then g sku ids, in the order of the gates
-- ARGV     then, per claim and gate: gate number (1…g), order id, 1 to let its units in again or 0,
--          the stamp that the claim must still have (ms) or 0 for any
--
-- Returns the number of claims that left. A claim that is not there, or has another stamp, is passed over. The next sync
-- counts anew what may be let in, so that a gate at rest is exact.

local gate_count = tonumber(ARGV[1])
local settled, touched = 0, {}
for at = 2 + gate_count, #ARGV, 4 do
  local g, order_id, again, stamp = tonumber(ARGV[at]), ARGV[at + 1], ARGV[at + 2] == '1', ARGV[at + 3]
  local key, field = KEYS[3 + g], 'c:' .. order_id
  local claim = redis.call('HGET', key, field)
  if claim then
    local quantity, claimed_at = string.match(claim, '^(%d+):(%d+)$')
    if stamp == '0' or stamp == claimed_at then
      redis.call('HDEL', key, field)
      touched[g] = redis.call('HINCRBY', key, 'undecided', -quantity)
      if again then redis.call('HINCRBY', key, 'let_in', quantity) end
      settled = settled + 1
    end
  end
  if stamp == '0' then redis.call('HDEL', KEYS[2], order_id) end
end
for g, undecided in pairs(touched) do
  redis.call('SADD', KEYS[3], ARGV[1 + g])
  if undecided <= 0 then redis.call('SREM', KEYS[1], ARGV[1 + g]) end
end
return settled
