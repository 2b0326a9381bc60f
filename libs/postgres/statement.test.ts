import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { assert, suite } from '#libs/testing/suite.js';
import { sqlFile } from './statement.js';

const test = suite('statement');

test('a statement has the name of its file, and not the comment at its head', () => {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-sql-'));
  const file = join(folder, 'sku_get.sql');
  writeFileSync(file, '-- Reads a sku.\n-- $1 its id\n\nSELECT 1 -- one\n');
  assert.equal(sqlFile(pathToFileURL(file)), { name: 'sku_get', text: 'SELECT 1 -- one\n' });
  rmSync(folder, { recursive: true });
});

test.run();
