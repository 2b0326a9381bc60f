-- What reconcile_repair does about a violation, in words; empty: nothing, a person decides.
CREATE OR REPLACE FUNCTION ledger.audit_remedy(violation text) RETURNS text
LANGUAGE sql IMMUTABLE
RETURN CASE
  WHEN violation IN ('STOCK_NOT_CONSERVED', 'STOCK_NOT_OF_LINES') THEN
    'held and sold become the units of live orders, free what is left of the capacity; units beyond it are overbooked'
  WHEN violation = 'STOCK_NOT_OF_MOVEMENTS' THEN
    'changes REPAIR make movements and changes add up to live orders and to the capacity as it is kept'
  WHEN violation IN ('ORDER_WITHOUT_MOVEMENT', 'ORDER_NOT_OF_MOVEMENTS') THEN
    'a movement REPAIR makes the movements of the order add up to its lines'
  WHEN violation = 'MOVEMENT_WITHOUT_LINE' THEN 'a movement REPAIR takes back what moved for no line'
  WHEN violation = 'UNITS_NOT_OF_LINES' THEN 'the units of the attendee become those of live orders'
  WHEN violation = 'HOLD_NOT_OF_ORDER' THEN 'the line is held until its order expires'
  WHEN violation = 'EVENT_MISSING' THEN 'the event is put into the outbox again'
  ELSE '' END;
