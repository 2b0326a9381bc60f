import { SCENARIO_NAMES, scenarioNamed } from './scenarios/scenarios.js';
import { POLLS } from './service-calls.js';

/** What `npm run rush -- --help` prints. */
export function rushHelp(): string {
  const scenarios = SCENARIO_NAMES.map((name) => `  ${name.padEnd(9)}${scenarioNamed(name, 1)?.about ?? ''}`);
  return `npm run rush [-- OPTIONS]    sends a crowd into a mesh and judges what became of it

  --scenario NAME|FILE    one of those below, or a JSON file (class)
  --json                  one last line of JSON on the standard output in place of the table
  --through bff|gateway   where people go in: over HTTP as apps do (bff), or over gRPC with @holdfast/client
  --over SECONDS          spreads the arrivals over so many seconds
  --seed NUMBER           another crowd of the same kind (1)
  --limits                leaves the rate limits on, as in production: 50 a second for each sku, beyond it a line
  --rate NUMBER           the same with another limit a second
  --scale order=2,…       processes per service of a mesh that is started for the run
  --without redis,nats    a mesh that is started for the run does without them
  --help                  this page

A mesh that npm start runs is used; else one is started for the run. The exit code is 1 when more than refusals went wrong.

Scenarios
${scenarios.join('\n')}

A file holds the same as data; all but skuId, storeId, capacity, userId and lines may be left out:
  { "name": "duel",
    "skus": [{ "skuId": "seat", "storeId": "hall", "capacity": 1, "perUserLimit": 1, "maxPerOrder": 10,
               "holdTtlSeconds": 900, "paymentRequired": true, "opensAtMs": 0 }],
    "people": [{ "userId": "ada", "arrivesAtMs": 0, "lines": [{ "skuId": "seat", "quantity": 1, "attendeeId": "ada" }],
                 "key": "k1", "repeats": [20, "after"], "patienceMs": 0 }] }
opensAtMs and arrivesAtMs count from the start; repeats are presses with the same key, so many ms after the arrival or
after the answer; whoever has patience comes back with a new key when a hold is due to end.

What people do: the same key again, later each time, for up to 60 s while nothing is decided (429, 502, 503, 504, no
connection, no answer within 30 s, not yet on sale). Whoever is told of a place in line (202 QUEUED) or of a limit (429)
comes back when the answer says, for up to 15 minutes. A promise (202 PENDING) is followed by GET until it is decided;
through the gateway @holdfast/client does all that, each person with a token of their own.

What is counted. A request is one user and one key, however often it is sent.
  held              distinct order ids that were answered HELD
  refused, errors   requests whose last answer was a no, or an error
  pending           requests that were promised a decision and saw none within 15 s
  orders            rows born HELD or CONFIRMED, read from the ledger by the rush itself
  duplicates        attendees with more of a sku than the limit, and keys with two orders
  oversold          units of live orders beyond the capacity, summed over order lines
  lost              ids answered HELD or PENDING that have no decided row 5 s after the end
  undecided         claims left in the journal 5 s after the end
  false_refusals    refused requests that would fit into what is left at the end
  conserved         capacity = free + reserved + held + sold, and held and sold are what lines and movements add up to
  queued            requests that ever had a place in line; queued_answers: how often they were told
  people_ahead_max  the most people that one of them saw ahead
  line_*_ms         from the first word of a place to the answer
  queued_at_end     people who waited in vain: in line to the end, and told neither yes nor no
  limited_answers   answers 429
  overtaken_max     people who were first sent after one person had a place, and told yes before that one's turn was
                    asked for. With limits on as many are allowed as tokens can fall due while one is on the way back
  cold_held_up      people whose skus stay below the limit, and who met a line or a limit of a sku all the same
  success_rate      share of requests that got an answer: a yes or a true no
  p50_ms, p99_ms    from the moment the first press was due to the answer that counts
  pool_wait_p99_ms, redis_p99_ms, redis_calls_per_request, pg_transactions_per_order, consumer_lag_max
                    from the services' own metrics, but for what they do by the clock, which is:
                    ${polls()}
`;
}

function polls(): string {
  const lines = [POLLS.slice(0, 6), POLLS.slice(6, 11), POLLS.slice(11)];
  return lines.map((names) => names.join(', ')).join(`,\n${' '.repeat(20)}`);
}
