const keyMaxLength = 255;
const printable = /^[\x21-\x7e]+$/;
const quoted = /^"((?:[^"\\]|\\["\\])*)"$/;

export const keyHeader = 'Idempotency-Key';
export const describeKey = `1 to ${keyMaxLength} printable ASCII characters without spaces, bare or in quotes`;

/** The request id that the header carries, as a structured-field string or bare: `"k-1"` and `k-1` are one key. Undefined: none. */
export function readKey(header: string | string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined;
  const key = header.startsWith('"') ? quoted.exec(header)?.[1]?.replace(/\\(.)/g, '$1') : header;
  return key !== undefined && key.length <= keyMaxLength && printable.test(key) ? key : undefined;
}
