-- Lets a batch of orders in: all lines of an order or none, in the order given.
--
-- KEYS[1]  set: skus with undecided claims
-- KEYS[2]  set: skus used since the last sync
-- KEYS[3]  hash: promised claims by order id
-- KEYS[4…] hash: one gate per sku
-- ARGV[1]  number of gates g
-- ARGV     then g sku ids, in the order of the gates
-- ARGV     then, per order: order id, number of lines n, and n times: gate number (1…g), quantity (units)
--
-- Returns two integers per order: a code and the number of the gate that it is about (0 for none).
--   1 IN             units are set aside, the claim is in the journal
--   2 UNDECIDED      already in the journal and published lately: wait for its row
--   3 REPUBLISH      already in the journal, last published over a second ago: publish again
--   4 SHORT          the gate has too few; so is every later order of the batch that wants the same sku
--   5 NOT_LOADED     the gate does not know the sku
--   6 CLOSED         not on sale by the gate's terms
-- Errors: 'quantity' when a quantity is not a whole number from 1 to 1000000. Nothing is written then.
-- Without any order it is a probe: it writes what changes nothing, so that it fails wherever an order would (READONLY,
-- OOM, MISCONF), and returns nothing.

local IN, UNDECIDED, REPUBLISH, SHORT, NOT_LOADED, CLOSED = 1, 2, 3, 4, 5, 6

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local gate_count = tonumber(ARGV[1])

local gates = {}
for g = 1, gate_count do
  local f = redis.call('HMGET', KEYS[3 + g], 'let_in', 'undecided', 'open_from', 'open_until')
  if f[1] then
    gates[g] = {
      let_in = tonumber(f[1]), undecided = tonumber(f[2]), claims = {},
      open = now >= tonumber(f[3]) and now < tonumber(f[4]), short = false,
    }
  end
end

-- What an order meets on its way in: a code other than IN, and the gate that says so.
local function verdict(order_id, first, lines)
  for l = 0, lines - 1 do
    local g = tonumber(ARGV[first + 2 * l])
    local gate = gates[g]
    if not gate then return NOT_LOADED, g end
    local claim = gate.claims[order_id] or redis.call('HGET', KEYS[3 + g], 'c:' .. order_id)
    if claim then
      local stamp = tonumber(string.match(claim, ':(%d+)$'))
      if now - stamp <= 1000 then return UNDECIDED, 0 end
      return REPUBLISH, 0
    end
  end
  local wanted = {}
  for l = 0, lines - 1 do
    local g = tonumber(ARGV[first + 2 * l])
    wanted[g] = (wanted[g] or 0) + tonumber(ARGV[first + 2 * l + 1])
  end
  for g, quantity in pairs(wanted) do
    local gate = gates[g]
    if not gate.open then return CLOSED, g end
    if gate.short or gate.let_in < quantity then
      gate.short = true
      return SHORT, g
    end
  end
  for g, quantity in pairs(wanted) do
    local gate = gates[g]
    gate.let_in = gate.let_in - quantity
    gate.undecided = gate.undecided + quantity
    gate.claims[order_id] = quantity .. ':' .. now
  end
  return IN, 0
end

if #ARGV == 1 then
  -- No sku has this name: what is added is taken away again.
  redis.call('SADD', KEYS[2], '')
  redis.call('SREM', KEYS[2], '')
  return {}
end

-- Check everything first, so that an error leaves nothing half written.
local at = 2 + gate_count
while at <= #ARGV do
  local lines = tonumber(ARGV[at + 1])
  for l = 0, lines - 1 do
    local quantity = tonumber(ARGV[at + 3 + 2 * l])
    if not quantity or quantity < 1 or quantity > 1000000 or quantity % 1 ~= 0 then
      return redis.error_reply('quantity')
    end
  end
  at = at + 2 + 2 * lines
end

local result, again = {}, {}
at = 2 + gate_count
while at <= #ARGV do
  local order_id, lines = ARGV[at], tonumber(ARGV[at + 1])
  local code, g
  if redis.call('HEXISTS', KEYS[3], order_id) == 1 then
    code, g = UNDECIDED, 0
  else
    code, g = verdict(order_id, at + 2, lines)
  end
  if code == REPUBLISH then
    for l = 0, lines - 1 do again[#again + 1] = { tonumber(ARGV[at + 2 + 2 * l]), order_id } end
  end
  result[#result + 1] = code
  result[#result + 1] = g
  at = at + 2 + 2 * lines
end

for g = 1, gate_count do
  local gate = gates[g]
  if gate and next(gate.claims) then
    local fields = { 'let_in', gate.let_in, 'undecided', gate.undecided }
    for order_id, claim in pairs(gate.claims) do
      fields[#fields + 1] = 'c:' .. order_id
      fields[#fields + 1] = claim
      if #fields >= 1000 then
        redis.call('HSET', KEYS[3 + g], unpack(fields))
        fields = {}
      end
    end
    if #fields > 0 then redis.call('HSET', KEYS[3 + g], unpack(fields)) end
    redis.call('SADD', KEYS[1], ARGV[1 + g])
    redis.call('SADD', KEYS[2], ARGV[1 + g])
  end
end
for _, entry in ipairs(again) do
  local key, field = KEYS[3 + entry[1]], 'c:' .. entry[2]
  local claim = redis.call('HGET', key, field)
  if claim then redis.call('HSET', key, field, string.match(claim, '^(%d+):') .. ':' .. now) end
end
return result
