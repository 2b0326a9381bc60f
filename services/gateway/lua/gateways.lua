-- The gateways that keep marks in this shard: what the scripts that keep marks or count gateways begin with.
--
-- A gateway that cannot reach Redis goes on without marks once it has not been seen for so long. From then on, and until
-- it is seen again, a mark that is not there proves nothing: `since` moves to now.

-- Since when marks that are not there can not have been (ms): this Redis began or was emptied, this gateway or another
-- was not seen for longer than `unseen`. Writes that this gateway was seen, and `since` when it is now.
-- since_key: string, 'run id of the Redis, ms'. gateways_key: zset, instances by when they were last seen (ms).
local function marks_known_since(since_key, gateways_key, instance, now_ms, unseen)
  local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  local since_of, since = string.match(redis.call('GET', since_key) or '', '^(%x+),(%d+)$')
  local seen = tonumber(redis.call('ZSCORE', gateways_key, instance) or '0')
  local oldest = tonumber(redis.call('ZRANGE', gateways_key, 0, 0, 'WITHSCORES')[2] or '0')
  local at = string.format('%.0f', now_ms)
  redis.call('ZADD', gateways_key, at, instance)
  if since_of == run_id and now_ms - math.min(seen, oldest) <= unseen then return tonumber(since) end
  redis.call('SET', since_key, run_id .. ',' .. at)
  return now_ms
end
