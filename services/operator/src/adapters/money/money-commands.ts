import type { Command } from 'commander';
import { collectPages } from '../../app/collect-pages.js';
import { readDay, readSettlement } from '../../domain/payment.js';
import { readId } from '../../domain/typed.js';
import { CommandFailed } from '../failure.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { moneyLineJson, paymentJson } from './money-json.js';
import { issuesTable, paymentRows, reportTable } from './money-table.js';

const mostIssues = 2_000;

const issuesExamples = `
Examples:
  holdfast money issues
  holdfast money issues --store kiln
  holdfast money issues --json | jq -r '.payments[] | [.issue, .order_id, .amount_minor] | @tsv'

  WRONG_AMOUNT, WRONG_CURRENCY  it is not what the order costs
  LATE                          it came after the hold had ended
  ALREADY_PAID                  another payment had paid the order
  ORDER_ENDED                   the order was cancelled, refused or given up
  UNKNOWN_ORDER                 there is no such order yet; it waits 15 minutes for one
  CONTRADICTED                  the provider said two things that cannot both be true

A payment stays in the list until somebody settles it, also when its refund is under way.`;

const reportExamples = `
Examples:
  holdfast money report --store kiln                              today, by the calendar of UTC
  holdfast money report --store kiln --day 2026-03-30 --zone Europe/Berlin
  holdfast money report --store "" --day 2026-03-30               money of orders that nobody knows

Of a day that is over it says the same whenever it is asked, but for the states, which are those of now.`;

const settleExamples = `
Examples:
  holdfast money settle sandbox pay_4711 refund --reason "paid twice, the customer wrote"
  holdfast money settle sandbox pay_4711 keep --reason "one cent short, it is fine"
  holdfast money settle sandbox pay_4711 write-off --reason "refunded by hand in the provider's console"

  refund     money that pays no order goes back
  keep       it pays its order after all, if the order can still be paid; a refund that was asked for is withdrawn: be
             sure that the provider has not made it
  write-off  nothing further happens`;

/** `holdfast money …`: what was paid, and what somebody has to look at. */
export function addMoneyCommands(program: Command, session: Session): void {
  const group = program.command('money').description('what was paid, and what somebody has to look at');
  group
    .command('issues')
    .description('payments that nobody settled yet, the oldest first')
    .option('--store <id>', 'of one store')
    .addHelpText('after', issuesExamples)
    .action(({ store }: { store?: string }) => issues(session, store));
  group
    .command('report')
    .description("the sums of a store's day")
    .option('--store <id>', 'the store; needed')
    .option('--day <date>', 'the day, like 2026-03-30; today')
    .option('--zone <name>', 'the time zone that the day is of; UTC')
    .addHelpText('after', reportExamples)
    .action(({ store, day, zone }: { store?: string; day?: string; zone?: string }) =>
      report(session, { store, day, zone }),
    );
  group
    .command('settle')
    .description('decides by hand what becomes of a payment')
    .argument('<provider>', 'as payments name it')
    .argument('<payment>', "the provider's id of the payment")
    .argument('<what>', 'refund, keep or write-off')
    .option('--reason <why>', 'why; needed')
    .addHelpText('after', settleExamples)
    .action((provider: string, payment: string, verb: string, { reason }: { reason?: string }) =>
      settle(session, { provider, payment, verb, reason }),
    );
}

async function issues(session: Session, store: string | undefined): Promise<void> {
  const problems: string[] = [];
  const storeId = readId('--store', store, problems) ?? '';
  if (problems.length > 0) throw new UsageError(problems);
  const { money, limits } = session.gateway();
  const { items } = await collectPages((size, token) => money.listIssues(storeId, size, token), mostIssues);
  if (items.length === 0 && storeId !== '' && (await limits.listLimits(storeId, '')).skus.length === 0) {
    const advice = 'check the spelling; ids are told apart by case';
    throw new CommandFailed('STORE_NOT_FOUND', [`there is no store ${storeId}: it has no sku`], advice);
  }
  session.show({ payments: items.map(paymentJson) }, (paint) => issuesTable(items, paint));
}

async function report(session: Session, typed: Parameters<typeof readDay>[0]): Promise<void> {
  const read = readDay(typed, new Date());
  if ('problems' in read) throw new UsageError(read.problems);
  const lines = await session.gateway().money.report(read);
  session.show({ store_id: read.storeId, day: read.day, lines: lines.map(moneyLineJson) }, () => reportTable(lines));
}

async function settle(session: Session, typed: Parameters<typeof readSettlement>[0]): Promise<void> {
  const read = readSettlement(typed);
  if ('problems' in read) throw new UsageError(read.problems);
  const payment = await session.gateway().money.settle(read);
  session.show({ payment: paymentJson(payment) }, (paint) => paymentRows([payment], paint));
}
