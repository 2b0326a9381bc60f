import type { GateState, Proof, Units } from '../../domain/proof.js';
import { instantJson } from '../time-text.js';
import { findingJson } from './plan-json.js';

/** As `prove --json` prints it; names as in the contracts. */
export function proofJson(proof: Proof): object {
  return {
    sku_id: proof.skuId,
    conserved: proof.conserved,
    oversold: proof.oversold,
    kept: unitsJson(proof.kept),
    of_orders: unitsJson(proof.ofOrders),
    of_movements: unitsJson(proof.ofMovements),
    orders: proof.orders,
    findings: proof.findings.map(findingJson),
    gate: proof.gate === undefined ? null : gateJson(proof.gate),
    stream_messages: proof.streamMessages < 0 ? null : proof.streamMessages,
    at: instantJson(proof.at),
  };
}

function unitsJson(units: Units | undefined): object | null {
  if (units === undefined) return null;
  const { capacity, overbooked, free, reserved, held, sold } = units;
  return { capacity, overbooked, free, reserved, held, sold };
}

function gateJson(gate: GateState): object {
  return {
    loaded: gate.loaded,
    let_in: gate.letIn,
    undecided: gate.undecided,
    undecided_of_claims: gate.undecidedOfClaims,
    claims: gate.claims,
    oldest_claim_ms: gate.oldestClaimMs,
    version: gate.version,
  };
}
