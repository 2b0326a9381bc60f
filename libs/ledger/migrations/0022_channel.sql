-- Who booked an order: the person, through an app, or the staff of the store, who may pass over what one person may have.
ALTER TABLE ledger.orders
  ADD COLUMN channel text COLLATE "C" NOT NULL DEFAULT 'APP' CHECK (channel IN ('APP', 'STAFF'));
ALTER TABLE ledger.waitlist_entries
  ADD COLUMN channel text COLLATE "C" NOT NULL DEFAULT 'APP' CHECK (channel IN ('APP', 'STAFF'));

CREATE OR REPLACE VIEW ledger.order_rows AS
SELECT o.order_id, o.store_id, o.user_id, o.request_id, o.lines_hash, o.state, o.version, o.refusal, o.amount_minor,
  o.currency, o.created_at, o.expires_at, (
    SELECT json_agg(json_build_object('sku_id', l.sku_id, 'attendee_id', l.attendee_id, 'quantity', l.quantity,
      'unit_price_minor', l.unit_price_minor) ORDER BY l.sku_id, l.attendee_id)
    FROM ledger.order_lines AS l WHERE l.order_id = o.order_id
  ) AS lines,
  o.entry_id, o.code, o.fulfilled_at, o.extended_at, o.channel
FROM ledger.orders AS o;

-- They have one parameter or column more now; a service of before calls claims_admit and dead_letter_replay as it did.
DROP FUNCTION IF EXISTS ledger.dead_letter_replay(bigint, text, text, text, text[], int[], text[], uuid[], text[], text[],
  text[], int[], bytea[], timestamptz[], boolean[], int[], int[], int[], text[]);
DROP FUNCTION IF EXISTS ledger.claims_admit(text[], int[], text[], uuid[], text[], text[], text[], int[], bytea[],
  timestamptz[], boolean[], int[], int[], int[], text[]);
DROP FUNCTION IF EXISTS ledger.claims_validate(text[], int[], text[], uuid[], text[], text[], text[], int[], bytea[],
  timestamptz[], boolean[], int[], int[], int[], text[]);
DROP FUNCTION IF EXISTS ledger.limits_spend(jsonb, text, text, uuid, boolean, text[], text[], int[]);
DROP FUNCTION IF EXISTS ledger.entries_known(uuid[]);
