-- Writes, reads back and answers the time: what a working Redis must do for every script of ours.
-- KEYS[1]  a key of its own
-- Returns  Redis time in seconds. Fails as any script would: READONLY, OOM, LOADING, MISCONF.
local now = redis.call('TIME')[1]
redis.call('SET', KEYS[1], now, 'EX', 60)
return tonumber(redis.call('GET', KEYS[1]))
