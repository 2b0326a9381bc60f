import type { Command } from 'commander';
import { readSkuIds } from '../../domain/deed.js';
import type { Proof } from '../../domain/proof.js';
import { CommandFailed } from '../failure.js';
import type { Session } from '../session.js';
import { UsageError } from '../usage-error.js';
import { proofJson } from './proof-json.js';
import { proofText } from './proof-table.js';

const examples = `
Examples:
  holdfast prove kiln-mug
  holdfast prove kiln-mug --json | jq -e '.conserved and (.oversold | not)'

Adds up in one snapshot where the units are: as they are kept, from the orders, and from the movements. The three
columns must agree, and capacity + overbooked = free + reserved + held + sold. Exit code 1 when they do not, or when
more is held and sold than there is.`;

/** `holdfast prove SKU`. */
export function addProveCommand(program: Command, session: Session): void {
  program
    .command('prove')
    .description('proves that nothing of a sku was sold twice or lost')
    .argument('<sku>', 'its id')
    .addHelpText('after', examples)
    .action((skuId: string) => prove(session, skuId));
}

async function prove(session: Session, typed: string): Promise<void> {
  const read = readSkuIds('SKU', [typed]);
  if ('problems' in read) throw new UsageError(read.problems);
  const proof = await session.gateway().reconcile.proveSku(typed);
  session.show(proofJson(proof), (paint) => proofText(proof, paint));
  if (!proof.conserved || proof.oversold) throw failedProof(proof);
}

function failedProof({ skuId, oversold }: Proof): CommandFailed {
  const problem = oversold ? `${skuId} is oversold` : `the figures of ${skuId} do not agree`;
  const advice = `next: holdfast reconcile plan --sku ${skuId}; until then holdfast sku pause ${skuId} stops its sale`;
  return new CommandFailed(oversold ? 'OVERSOLD' : 'NOT_CONSERVED', [problem], advice);
}
