import type { Page } from './ports.js';

const largestPage = 500;

/** The first `limit` items, page by page; `isMore` when there are others. */
export async function collectPages<Item>(
  read: (pageSize: number, pageToken: string) => Promise<Page<Item>>,
  limit: number,
): Promise<{ items: Item[]; isMore: boolean }> {
  const items: Item[] = [];
  let token = '';
  do {
    const page = await read(Math.min(largestPage, limit - items.length), token);
    items.push(...page.items);
    token = page.nextPageToken;
  } while (token !== '' && items.length < limit);
  return { items: items.slice(0, limit), isMore: token !== '' || items.length > limit };
}
