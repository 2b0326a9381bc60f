import { readFileSync } from 'node:fs';
import { reasons } from '#libs/refusal/catalogue.js';
import { assert, suite } from '#libs/testing/suite.js';
import { errorsPage } from './page.js';

const test = suite('page of errors');

test('docs/errors.md is what `npm run errors` writes', () => {
  const page = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8');
  assert.is(page, errorsPage());
});

test('it explains every reason', () => {
  const page = errorsPage();
  for (const reason of reasons) assert.ok(page.includes(`\n### ${reason}\n`), reason);
});

test.run();
