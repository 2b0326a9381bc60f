import { ReserveRequest } from '#libs/contracts/gen/holdfast/reservation/v1/reservation_service.js';

const digits = 10;
const placeholder = '#'.repeat(digits);

/**
 * `count` Reserve requests for one unit of one sku as gRPC length-prefixed messages, ready for the wire: the same
 * bytes but for the attendee, `<tag>-a<n>`, and the request id, `<tag>-r<n>`.
 */
export function reserveFrames(storeId: string, skuId: string, tag: string, count: number): Buffer[] {
  const request = ReserveRequest.encode({
    storeId,
    lines: [{ skuId, quantity: 1, attendeeId: `${tag}-a${placeholder}`, unitPriceMinor: 0 }],
    requestId: `${tag}-r${placeholder}`,
  }).finish();
  const template = Buffer.alloc(5 + request.length);
  template.writeUInt32BE(request.length, 1);
  template.set(request, 5);
  const places = [template.indexOf(placeholder), template.lastIndexOf(placeholder)];
  const all = Buffer.alloc(template.length * count);
  return Array.from({ length: count }, (_, n) => {
    const frame = all.subarray(n * template.length, (n + 1) * template.length);
    template.copy(frame);
    for (const at of places) frame.write(numbered(n), at, 'latin1');
    return frame;
  });
}

function numbered(n: number): string {
  return String(n).padStart(digits, '0');
}
