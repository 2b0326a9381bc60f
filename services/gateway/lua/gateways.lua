-- The gateways that keep marks in this shard: what the scripts that keep marks or count gateways begin with.
--
-- A gateway that gets no reply goes on without marks when its last one is `unseen` old. From then on, and until it has
-- had a reply again, a mark that is not there proves nothing: `since` moves to now.
--   since_key     string: 'run id of the Redis, ms'
--   gateways_key  zset: instances by when this Redis made the last reply that they know of, or their first one (ms)

-- Since when marks that are not there can not have been (ms), nil when this Redis began or was emptied since; its run id.
local function marks_noted_since(since_key)
  local run_id = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)')
  local since_of, since = string.match(redis.call('GET', since_key) or '', '^(%x+),(%d+)$')
  return since_of == run_id and tonumber(since) or nil, run_id
end

-- Whether no gateway has been without a reply for longer than `unseen`, as far as it has said.
local function all_keep_marks(gateways_key, now_ms, unseen)
  local oldest = redis.call('ZRANGE', gateways_key, 0, 0, 'WITHSCORES')[2]
  return oldest ~= nil and now_ms - tonumber(oldest) <= unseen
end

-- The same instant, which is now when it was not noted, or this gateway is new, or it or another had no reply for longer
-- than `unseen`. Writes it when it is now.
--   replied_at    when the last reply was made, as the instance knows it; 0 when it has had none
local function marks_known_since(since_key, gateways_key, instance, replied_at, now_ms, unseen)
  local since, run_id = marks_noted_since(since_key)
  local is_new = tonumber(replied_at) == 0
  -- Not this very moment, unless it is new: nobody knows yet whether this reply will arrive.
  redis.call('ZADD', gateways_key, is_new and string.format('%.0f', now_ms) or replied_at, instance)
  if since and not is_new and all_keep_marks(gateways_key, now_ms, unseen) then return since end
  redis.call('SET', since_key, run_id .. ',' .. string.format('%.0f', now_ms))
  return now_ms
end
