/** How claims shall reach admission, and how those that the gate let in are carried; AUTO is no word of its own. */
export type StockSetting = 'AUTO' | 'REDIS' | 'POSTGRES';
export type OrderSetting = 'AUTO' | 'STREAM' | 'DIRECT';

/** What an operator has switched, for everything, a store or a sku. */
export interface Switched {
  readonly name: 'STOCK_PATH' | 'ORDER_PATH';
  readonly scope: { readonly kind: string; readonly storeId: string; readonly skuId: string };
  readonly setting: StockSetting | OrderSetting;
  /** It says nothing from then on. */
  readonly expiresAt?: Date;
}

/** Where an order goes first: to the gate, straight to the ledger, or nowhere while the gate must not be gone round. */
export type WayIn = 'GATE' | 'STRAIGHT' | 'NOWHERE';

/** How an order that was let in is carried; nowhere while the stream must not be gone round. */
export type WayOn = 'STREAM' | 'DIRECT' | 'NOWHERE';

/** The switches in force at one time, ready to be asked. */
export interface SwitchBoard {
  readonly all: StockSetting;
  readonly stores: ReadonlyMap<string, StockSetting>;
  readonly skus: ReadonlyMap<string, StockSetting>;
  readonly orderPath: OrderSetting;
  /** From then on one of them says nothing any more: in milliseconds of the ledger's time. */
  readonly holdsUntilMs: number;
}

/** Those of the switches that have not expired by the ledger's time. */
export function boardOf(switches: readonly Switched[], now: Date): SwitchBoard {
  const board = {
    all: 'AUTO' as StockSetting,
    stores: new Map<string, StockSetting>(),
    skus: new Map<string, StockSetting>(),
    orderPath: 'AUTO' as OrderSetting,
    holdsUntilMs: Number.POSITIVE_INFINITY,
  };
  for (const { name, scope, setting, expiresAt } of switches) {
    if (setting === 'AUTO' || (expiresAt && expiresAt <= now)) continue;
    board.holdsUntilMs = Math.min(board.holdsUntilMs, expiresAt?.getTime() ?? Number.POSITIVE_INFINITY);
    if (name === 'ORDER_PATH') board.orderPath = setting as OrderSetting;
    else if (scope.kind === 'SKU') board.skus.set(scope.skuId, setting as StockSetting);
    else if (scope.kind === 'STORE') board.stores.set(scope.storeId, setting as StockSetting);
    else board.all = setting as StockSetting;
  }
  return board;
}

/** What is set for an order: of each sku the narrowest scope with a word of its own; POSTGRES for one is so for all. */
export function stockSetting(board: SwitchBoard, storeId: string, skuIds: Iterable<string>): StockSetting {
  const ofStore = board.stores.get(storeId) ?? board.all;
  if (board.skus.size === 0) return ofStore;
  let setting: StockSetting = 'AUTO';
  for (const skuId of skuIds) {
    const ofSku = board.skus.get(skuId) ?? ofStore;
    if (ofSku === 'POSTGRES') return 'POSTGRES';
    if (ofSku === 'REDIS') setting = 'REDIS';
  }
  return setting;
}

/** The way in by what is set, and by whether the gate answers. */
export function wayIn(setting: StockSetting, gateAnswers: boolean): WayIn {
  if (setting === 'POSTGRES') return 'STRAIGHT';
  if (gateAnswers) return 'GATE';
  return setting === 'REDIS' ? 'NOWHERE' : 'STRAIGHT';
}

/** The way on by what is set, and by whether the stream takes claims and somebody decides them. */
export function wayOn(setting: OrderSetting, streamAnswers: boolean): WayOn {
  if (setting === 'DIRECT') return 'DIRECT';
  if (streamAnswers) return 'STREAM';
  return setting === 'STREAM' ? 'NOWHERE' : 'DIRECT';
}
