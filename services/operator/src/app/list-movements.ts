import type { Movement } from '../domain/movement.js';
import type { Gateway } from './ports.js';

const mostMovements = 5_000;
const pageSize = 500;

/** Movements of a sku, the newest first, back to an instant; only those of one kind where a reason is given: CANCEL_PART is a CANCEL. */
export async function listMovements(
  { movementsOf }: Gateway['orders'],
  { skuId, since, reason }: { skuId: string; since?: Date; reason?: string },
): Promise<Movement[]> {
  const found: Movement[] = [];
  let token = '';
  let seen = 0;
  do {
    const { items, nextPageToken } = await movementsOf(skuId, pageSize, token);
    const recent = items.filter(({ at }) => since === undefined || (at !== undefined && at >= since));
    found.push(...recent.filter((movement) => reason === undefined || `${movement.reason}_`.startsWith(`${reason}_`)));
    seen += items.length;
    token = recent.length < items.length ? '' : nextPageToken;
  } while (token !== '' && seen < mostMovements);
  return found;
}
