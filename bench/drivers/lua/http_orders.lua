-- wrk: orders of one unit of one sku, each for an attendee and with an Idempotency-Key of its own.
-- The people who send them take turns, each with a token of theirs.
-- Arguments after `--`: 1 store, 2 sku, in which `####` stands for 0000 to 0999 by turns, 3 tag that begins every attendee and key, 4 "hear" to print `yes <unix ms>` at each
-- 201, 5 a file with the value of an Authorization header in each line.
-- Prints one line of JSON at the end: times in microseconds, CPU time of wrk in seconds.
local ffi = require('ffi')
ffi.cdef('struct hf_timeval { long sec; long usec; }; int gettimeofday(struct hf_timeval *now, void *zone);')

local threads = 0

function setup(thread)
  thread:set('thread_number', threads)
  threads = threads + 1
end

function init(args)
  local tag = string.format('%s-%d-', args[3], thread_number)
  local body = string.format(
    '{"store_id":"%s","lines":[{"sku_id":"%s","quantity":1,"attendee_id":"a%s', args[1], args[2], tag)
  local length = #body + 10 + #'"}]}'
  -- Joined by hand: wrk.format builds a table of headers for each request.
  local head = string.format(
    'POST /v1/orders HTTP/1.1\r\nHost: %s:%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nAuthorization: ',
    wrk.host, wrk.port, length)
  local middle = '\r\nIdempotency-Key: k' .. tag
  local tail = '\r\n\r\n' .. body
  local before, after = string.match(tail, '^(.-)####(.*)$')
  local people = {}
  for token in io.lines(args[5]) do people[#people + 1] = token end
  local sent = 0

  function request()
    sent = sent + 1
    local number = string.format('%010d', sent)
    if before then tail = before .. string.format('%04d', sent % 1000) .. after end
    return head .. people[sent % #people + 1] .. middle .. number .. tail .. number .. '"}]}'
  end

  if args[4] == 'hear' then
    local now = ffi.new('struct hf_timeval')
    function response(status)
      if status ~= 201 then return end
      ffi.C.gettimeofday(now, nil)
      io.write(string.format('yes %.3f\n', tonumber(now.sec) * 1000 + tonumber(now.usec) / 1000))
      io.flush()
    end
  end
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"requests":%d,"duration_us":%d,"p50_us":%d,"p99_us":%d,"not_2xx":%d,"broken":%d,"timed_out":%d,"cpu_s":%.3f}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
    errors.connect + errors.read + errors.write, errors.timeout, os.clock()))
end
