-- The gateways that keep marks in this shard: what the scripts that keep marks or count gateways begin with.
--
-- A gateway that gets no reply goes on without marks when its last one is `unseen` old. From then on, and until it has
-- had a reply again, a mark that is not there proves nothing: `since` moves to now.

-- Since when marks that are not there can not have been (ms): this Redis began or was emptied, this gateway or another
-- had no reply for longer than `unseen`. Writes `since` when it is now.
--   since_key     string: 'run id of the Redis, ms'
--   gateways_key  zset: instances by when this Redis made the last reply that they know of (ms)
--   replied_at    that instant, as the instance knows it; 0 when it has had none
local function marks_known_since(since_key, gateways_key, instance, replied_at, now_ms, unseen)
  local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  local since_of, since = string.match(redis.call('GET', since_key) or '', '^(%x+),(%d+)$')
  -- Not this very moment: nobody knows yet whether this reply will arrive.
  redis.call('ZADD', gateways_key, replied_at, instance)
  local oldest = tonumber(redis.call('ZRANGE', gateways_key, 0, 0, 'WITHSCORES')[2])
  if since_of == run_id and now_ms - oldest <= unseen then return tonumber(since) end
  redis.call('SET', since_key, run_id .. ',' .. string.format('%.0f', now_ms))
  return now_ms
end
