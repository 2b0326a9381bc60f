import { Fault, type Violation } from '#libs/refusal/fault.js';
import { changeViolations, type Scope, scopeViolations } from './control-violations.js';
import { functionCall, type LedgerPool } from './ledger-pool.js';

const set = functionCall('switch_set', 10);
const read = functionCall('switches_read', 1);

/** What can be switched, and the settings of each; AUTO is no word of its own. */
const settings = {
  STOCK_PATH: ['AUTO', 'REDIS', 'POSTGRES'],
  ORDER_PATH: ['AUTO', 'STREAM', 'DIRECT'],
} as const;
const MAX_EXPIRY_SECONDS = 604_800;

/** STOCK_PATH: how claims reach admission. ORDER_PATH: how those that the gate let in are carried. */
export type SwitchName = keyof typeof settings;
export type StockSetting = (typeof settings.STOCK_PATH)[number];
export type OrderSetting = (typeof settings.ORDER_PATH)[number];

/** A switch as it is set. */
export interface Switch {
  name: SwitchName;
  scope: Scope;
  /** AUTO also when it has expired. */
  setting: StockSetting | OrderSetting;
  /** Rises by one with each change. */
  version: number;
  reason: string;
  setBy: string;
  setAt: Date;
  /** When it is AUTO again; absent: when it is set to it. */
  expiresAt?: Date;
}

/** How a switch shall be. */
export interface SwitchChange {
  name: SwitchName;
  scope: Scope;
  setting: string;
  /** The version that was read; 0: it was never set. */
  expectedVersion: number;
  /** Then it is AUTO again; 0: until it is set. */
  expiresInSeconds: number;
  reason: string;
  setBy: string;
  requestId: string;
}

interface SwitchColumns {
  setting: Switch['setting'];
  version: number;
  reason: string;
  set_by: string;
  set_at: Date;
  expires_at: Date | null;
}
type SetRow =
  | ({ outcome: 'SET' | 'REUSED' } & SwitchColumns)
  | ({ outcome: 'CHANGED' } & (SwitchColumns | { version: null; set_by: null }))
  | { outcome: 'NO_SKU' };
type ReadRow = SwitchColumns & { switch: SwitchName; scope: string; scope_id: string; store_id: string | null };

/** The calls about switches. */
export function switchCalls(pool: LedgerPool) {
  return {
    /**
     * Sets a switch and notes who did it and why. The same request again has the same answer and no second effect.
     *
     * Errors: Fault INVALID_REQUEST with every violation; SKU_NOT_FOUND, also for a sku of another store; SWITCH_CHANGED
     * when it has another version than was expected; REQUEST_ID_REUSED when the request set something else.
     */
    async switchSet(change: SwitchChange): Promise<Switch> {
      const violations = switchViolations(change);
      if (violations.length > 0) {
        throw new Fault('INVALID_REQUEST', 'the switch cannot be set like this', { violations });
      }
      const { name, scope, setting, expectedVersion, expiresInSeconds, reason, setBy, requestId } = change;
      const where = [name, scope.kind, scope.skuId || scope.storeId, scope.storeId];
      const values = [...where, setting, expectedVersion, expiresInSeconds, reason, setBy, requestId];
      const [row] = await pool.query<SetRow>(set, values);
      if (!row) throw new Error('switch_set gave no row');
      if (row.outcome !== 'SET') throw notSet(change, row);
      return { name, scope, ...toSwitch(row) };
    },

    /** The switches that have a word of their own now. */
    async switchesInForce(): Promise<Switch[]> {
      return (await pool.query<ReadRow>(read, [false])).map(fromRow);
    },

    /** Those in force, and of those that are AUTO again the 1000 that were set last, for their versions. */
    async switchesRead(): Promise<Switch[]> {
      return (await pool.query<ReadRow>(read, [true])).map(fromRow);
    },
  };
}

function switchViolations(change: SwitchChange): Violation[] {
  const { name, scope, setting, expectedVersion, expiresInSeconds } = change;
  const violations = scopeViolations(scope, name === 'STOCK_PATH' ? ['ALL', 'STORE', 'SKU'] : ['ALL']);
  const demand = (holds: boolean, field: string, description: string): void => {
    if (!holds) violations.push({ field, description });
  };
  const known: readonly string[] = settings[name];
  demand(known.includes(setting), 'path', `must be ${known.join(', ')}`);
  demand(
    Number.isSafeInteger(expectedVersion) && expectedVersion >= 0,
    'expected_version',
    'must be the version that was read; 0 when the switch was never set',
  );
  demand(
    Number.isInteger(expiresInSeconds) && expiresInSeconds >= 0 && expiresInSeconds <= MAX_EXPIRY_SECONDS,
    'expires_in_seconds',
    `must be a whole number, 0 to ${MAX_EXPIRY_SECONDS}`,
  );
  demand(setting !== 'AUTO' || expiresInSeconds === 0, 'expires_in_seconds', 'must be 0: AUTO does not expire');
  return [...violations, ...changeViolations(change)];
}

function notSet({ scope, requestId }: SwitchChange, row: Exclude<SetRow, { outcome: 'SET' }>): Fault {
  switch (row.outcome) {
    case 'NO_SKU':
      return new Fault('SKU_NOT_FOUND', 'the store has no such sku', { metadata: { sku_id: scope.skuId } });
    case 'REUSED':
      return new Fault('REQUEST_ID_REUSED', 'the request id has set something else', {
        metadata: { request_id: requestId },
      });
    default: {
      const metadata = { version: String(row.version ?? 0), set_by: row.set_by ?? '' };
      return new Fault('SWITCH_CHANGED', `the switch is at version ${metadata.version}`, { metadata });
    }
  }
}

function toSwitch(row: SwitchColumns): Omit<Switch, 'name' | 'scope'> {
  return {
    setting: row.setting,
    version: row.version,
    reason: row.reason,
    setBy: row.set_by,
    setAt: row.set_at,
    ...(row.expires_at && { expiresAt: row.expires_at }),
  };
}

function fromRow(row: ReadRow): Switch {
  return { name: row.switch, scope: toScope(row), ...toSwitch(row) };
}

/** The scope of a row that also says whose store it is. */
export function toScope(row: { scope: string; scope_id: string; store_id: string | null }): Scope {
  const skuId = row.scope === 'SKU' ? row.scope_id : '';
  return { kind: row.scope, storeId: row.store_id ?? '', skuId };
}
