import { suite } from '#libs/testing/suite.js';
import { natsKill } from '../../deploy/drill/drills/nats-kill.js';
import { assertLawsHold } from './short-drill.js';

const test = suite('drill nats-kill');

test('no law is broken when NATS is killed in the middle of a sale, and nothing is left undone', () =>
  assertLawsHold(natsKill));

test.run();
