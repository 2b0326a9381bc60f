import { suite } from '#libs/testing/suite.js';
import { postgresSlow } from '../../deploy/drill/drills/postgres-slow.js';
import { assertLawsHold } from './short-drill.js';

const test = suite('drill postgres-slow');

test('no law is broken when every statement takes half a second, and nothing is left undone', () =>
  assertLawsHold(postgresSlow));

test.run();
