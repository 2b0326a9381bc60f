import { renderTable } from '#libs/terminal/table.js';
import { CLINIC_DAY } from './clinic/clinic-day.js';
import { DRILLS } from './drills/drills.js';

/** What `npm run drill -- list` prints. */
export function drillList(): string {
  const rows = [...DRILLS, CLINIC_DAY].map(({ name, about, twin }) => [name, about, twin ? twin.without : '']);
  return `${renderTable([{ title: 'drill' }, { title: 'what happens' }, { title: 'its unsafe twin' }], rows)}\n`;
}

/** What `npm run drill -- --help` prints. */
export function drillHelp(): string {
  return `npm run drill -- NAME…|all [OPTIONS]    breaks a mesh in the middle of a sale, and judges what became of it
npm run drill -- clinic-day [OPTIONS]    a whole day with a waitlist and payments, once for each of three hold times
npm run drill -- list                    names the drills, and what each does

  --json         a line of JSON for each drill on the standard output, and a last one for all; words go to stderr
  --control      runs the unsafe twins instead: the same drills with one protection taken away. Each has to fail
  --seed NUMBER  another crowd, and in all-at-once other faults: the same number, the same again (1)
  --help         this page

Each drill starts servers and a mesh of its own, with a stretch of network before each server that can be disturbed. A
steady crowd buys by HTTP, and sends the same Idempotency-Key again as a good client does. In the middle one thing breaks,
and after some seconds it is mended. When the last person has an answer and nothing is left to be done, the laws are
checked and the measurements are held against the objectives in deploy/drill/drills/NAME.json.
A record of each drill is written to drills/: what happened in which order, what was measured, what to improve.

What is counted
  first_held_after_fault_ms  from the fault to the first HELD that answers a request sent after it; the same after_heal
  longest_held_gap_ms        the longest time without a HELD from the fault on; gap_before_ms: before it
  p99_…_ms                   of HELD answers, by when the request was sent: before, under the fault, after it was healed
  sent_again                 answers from the fault on that told clients to come again
  errors                     requests that never got an answer, whatever the client did
  backlog_zero_after_heal_ms until the claims in the journal and the stream and the events in the outbox that waited at
                             healing are all done
  gate_back_after_heal_ms    until every inventory used its gate
  longest_pool_wait_ms       the longest wait of any process for a connection to Postgres (upper bound of its bucket)
  oversold, lost, duplicates, undecided, false_refusals, conserved
                             as of npm run rush -- --help
  died                       processes that died though nobody ended them
Of clinic-day
  overtaken                  people who waited and were passed, by a later arrival or by somebody who did not wait
  unaccounted_payments       captured payments that are not in one listed state with all of their money
  share_paid, share_expired  of all holds: paid while they were held; ended by their time
  unit_minutes_in_vain       for each unit that was given back unpaid, how long it had been held
  served_from_waitlist       people who were offered an order and paid for it; waited_…_minutes: until the offer
A drill fails when a law is broken, when the ledger's own audit finds something, when anything is left undone, or when
an objective is missed.

Exit code: 0 all passed; 1 a drill failed; 2 the command makes no sense. With --control every twin has to fail: 1 when
they all did, 3 when one passed or could not be run, for then its drill proves nothing.
`;
}
