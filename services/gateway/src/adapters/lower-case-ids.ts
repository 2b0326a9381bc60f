const fields = ['orderId', 'entryId'] as const;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** The request with its ids of orders and entries in lower case: UUIDs are read without regard to case (RFC 9562, section 4). */
export function withLowerCaseIds<Request>(request: Request): Request {
  const ids = request as Partial<Record<(typeof fields)[number], unknown>>;
  for (const field of fields) {
    const id = ids[field];
    if (typeof id === 'string' && uuid.test(id)) ids[field] = id.toLowerCase();
  }
  return request;
}
