/** How many decimals prices of a currency have; 2 where it is not known. */
export function decimalsOf(currency: string): number {
  try {
    const format = new Intl.NumberFormat('en', { style: 'currency', currency });
    return format.resolvedOptions().maximumFractionDigits ?? 2;
  } catch {
    return 2;
  }
}

/** Minor units of a price such as `12.50`; undefined when it is none, or has more decimals than the currency. */
export function minorUnits(price: string, currency: string): number | undefined {
  const decimals = decimalsOf(currency);
  const [, whole = '', fraction = ''] = /^(\d{1,15})(?:\.(\d{1,4}))?$/.exec(price) ?? [];
  if (whole === '' || fraction.length > decimals) return undefined;
  const minor = Number(whole + fraction.padEnd(decimals, '0'));
  return Number.isSafeInteger(minor) ? minor : undefined;
}
