-- Gives a lock back, if it is still its holder's: it may have run out, and be another's by now.
-- KEYS[1] the lock
-- ARGV[1] what its holder wrote into it
-- Returns 1 given back, 0 it was another's
if redis.call('GET', KEYS[1]) == ARGV[1] then return redis.call('DEL', KEYS[1]) end
return 0
