import type { Gateway } from '../app/ports.js';
import { limitsCalls } from './limits/limits-calls.js';
import { meshCalls } from './mesh/mesh-calls.js';
import { skuCalls } from './skus/sku-calls.js';
import { switchCalls } from './switches/switch-calls.js';
import type { Wire } from './wire.js';

/** Everything that the gateway is asked. */
export function gatewayOn(wire: Wire): Gateway {
  return {
    limits: limitsCalls(wire),
    switches: switchCalls(wire),
    mesh: meshCalls(wire),
    skus: skuCalls(wire),
  };
}
