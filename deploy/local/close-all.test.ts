import { rejectionOf } from '#libs/testing/rejection-of.js';
import { assert, suite } from '#libs/testing/suite.js';
import { closeAll } from './close-all.js';

const test = suite('closing all');

test('one that fails keeps no other from closing, and the first error is told', async () => {
  const closed: string[] = [];
  const closers = [
    () => closed.push('directory'),
    () => Promise.reject(new Error('the servers')),
    () => closed.push('link'),
    () => {
      throw new Error('the mesh');
    },
  ];
  assert.is((await rejectionOf(closeAll(closers))).message, 'the mesh');
  assert.equal([closed, closers], [['link', 'directory'], []]);
});

test.run();
