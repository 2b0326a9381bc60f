/** One column of a file of skus. */
export interface SkuColumn {
  name: string;
  isRequired: boolean;
  /** What stands in it, and what an empty cell means. */
  meaning: string;
  /** What the services call it, when that is another name. */
  field?: string;
}

/** Every column that a file of skus may have. */
export const skuColumns: readonly SkuColumn[] = [
  { name: 'sku_id', isRequired: true, meaning: 'its id: 1 to 128 printable ASCII characters without spaces' },
  { name: 'store_id', isRequired: true, meaning: 'the id of its store' },
  { name: 'title', isRequired: true, meaning: 'what people read, up to 500 characters' },
  { name: 'capacity', isRequired: true, meaning: 'how many units there are to sell' },
  { name: 'currency', isRequired: true, meaning: 'of the price, as in EUR' },
  { name: 'price', isRequired: false, meaning: 'of one unit, as in 12.50; empty: 0', field: 'price_minor' },
  { name: 'payment_required', isRequired: false, meaning: 'yes or no; empty: yes when there is a price' },
  { name: 'starts_at', isRequired: false, meaning: 'when a slot begins; empty: it is a product' },
  {
    name: 'time_zone',
    isRequired: false,
    meaning: 'as in Europe/Berlin; needed with starts_at, and for times without an offset',
  },
  { name: 'on_sale_at', isRequired: false, meaning: 'when its sale opens; empty: at once' },
  { name: 'off_sale_at', isRequired: false, meaning: 'when its sale ends; empty: when it begins, or never' },
  { name: 'per_user_limit', isRequired: false, meaning: 'units that one person may have; empty: 1' },
  {
    name: 'limit_group',
    isRequired: false,
    meaning: 'the group of its store whose limit holds for it, too; empty: none',
  },
  { name: 'max_per_order', isRequired: false, meaning: 'units that one order may take; empty: 10' },
  {
    name: 'hold_ttl',
    isRequired: false,
    meaning: 'how long unpaid units are kept, as in 15m; empty: 15m',
    field: 'hold_ttl_seconds',
  },
  { name: 'on_busy', isRequired: false, meaning: 'beyond the rate limit: queue or fail; empty: queue' },
  {
    name: 'on_sold_out',
    isRequired: false,
    meaning: 'when it is sold out: refuse or join_waitlist; empty: as it is, refuse of a new one',
  },
  {
    name: 'late_payment',
    isRequired: false,
    meaning: 'money after its hold: retake_if_free or refund; empty: as it is, retake_if_free of a new one',
  },
  {
    name: 'free_cancel',
    isRequired: false,
    meaning: 'how long before its start a cancel is free, as in 24h, or always; empty: as it is, always of a new one',
    field: 'free_cancel_seconds',
  },
  {
    name: 'late_cancel',
    isRequired: false,
    meaning: 'a cancel after that: refuse or no_refund; empty: as it is, refuse of a new one',
  },
  {
    name: 'rate_per_second',
    isRequired: false,
    meaning: 'a rate limit of its own; with rate_burst',
    field: 'rate_limit.per_second',
  },
  {
    name: 'rate_burst',
    isRequired: false,
    meaning: 'how many may come at once; with rate_per_second',
    field: 'rate_limit.burst',
  },
];

/** The column that a field of the services stands in; the field itself when no column has it. */
export function columnOf(field: string): string {
  return skuColumns.find((column) => column.field === field)?.name ?? field;
}
