-- wrk: orders of one unit of one sku, each with a user and an Idempotency-Key of its own.
-- Arguments after `--`: 1 store, 2 sku, 3 tag that begins every user and key, 4 "hear" to print `yes <unix ms>` at each 201.
-- Prints one line of JSON at the end: times in microseconds, CPU time of wrk in seconds.
local ffi = require('ffi')
ffi.cdef('struct hf_timeval { long sec; long usec; }; int gettimeofday(struct hf_timeval *now, void *zone);')

local threads = 0

function setup(thread)
  thread:set('thread_number', threads)
  threads = threads + 1
end

function init(args)
  local body = string.format('{"store_id":"%s","lines":[{"sku_id":"%s","quantity":1}]}', args[1], args[2])
  local tag = string.format('%s-%d-', args[3], thread_number)
  -- Joined by hand: wrk.format builds a table of headers for each request.
  local head = string.format(
    'POST /v1/orders HTTP/1.1\r\nHost: %s:%s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nX-Holdfast-User: u%s',
    wrk.host, wrk.port, #body, tag)
  local middle = '\r\nIdempotency-Key: k' .. tag
  local tail = '\r\n\r\n' .. body
  local sent = 0

  function request()
    sent = sent + 1
    return head .. sent .. middle .. sent .. tail
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
