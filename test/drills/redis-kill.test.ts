import { suite } from '#libs/testing/suite.js';
import { redisKill } from '../../deploy/drill/drills/redis-kill.js';
import { assertLawsHold } from './short-drill.js';

const test = suite('drill redis-kill');

test('no law is broken when Redis is killed in the middle of a sale, and nothing is left undone', () =>
  assertLawsHold(redisKill));

test.run();
