import { readFileSync } from 'node:fs';
import { assert, suite } from '#libs/testing/suite.js';
import { everyServiceNotes } from './every-service.js';
import { noteOf, services, settingsPage } from './page.js';
import { skuSettings } from './sku-settings.js';

const test = suite('settings');

const all = services.flatMap((one) =>
  one.declared.map((setting) => ({
    where: `${setting.name} of ${one.service}`,
    setting,
    note: noteOf(one, setting.name),
  })),
);

test('every setting says what it is for', () => {
  assert.ok(all.length > 50, `${all.length} settings`);
  assert.equal(
    all.filter(({ note }) => note === undefined).map(({ where }) => where),
    [],
  );
});

test('every figure says its unit, why it is this one, and what goes wrong when it is smaller or larger', () => {
  const figures = all.filter(({ setting }) => setting.range);
  const unsaid = figures.flatMap(({ where, note }) =>
    (['unit', 'why', 'smaller', 'larger'] as const).filter((part) => !note?.[part]).map((part) => `${where}: ${part}`),
  );
  assert.equal(unsaid, []);
});

test('nothing is said of settings that there are not', () => {
  const read = new Set(all.map(({ setting }) => setting.name));
  const notRead = services.flatMap(({ service, declared, notes }) =>
    Object.keys(notes)
      .filter((name) => !declared.some((setting) => setting.name === name))
      .map((name) => `${name} of ${service}`),
  );
  assert.equal([...notRead, ...Object.keys(everyServiceNotes).filter((name) => !read.has(name))], []);
});

test('the README of a service names its settings and no others', () => {
  for (const { service, declared } of services) {
    const readme = readFileSync(new URL(`../../../services/${service}/README.md`, import.meta.url), 'utf8');
    const section = /\n## Settings\n(.*?)\n## /s.exec(readme)?.[1] ?? '';
    const rows = section.split('\n').filter((line) => line.startsWith('| `'));
    const named = rows.flatMap((row) => row.split('|')[1]?.match(/[A-Z_]{3,}/g) ?? []);
    assert.equal(named.sort(), declared.map(({ name }) => name).sort(), service);
  }
});

test('what operators choose for skus is what a sku has', () => {
  const contract = ['inventory/v1/sku.proto', 'control/v1/control_service.proto'].map((file) =>
    readFileSync(new URL(`../../../proto/holdfast/${file}`, import.meta.url), 'utf8'),
  );
  for (const { name } of skuSettings) {
    for (const field of name.split('.')) assert.match(contract.join(''), new RegExp(` ${field} = \\d+;`), name);
  }
});

test('docs/settings.md is what the code says; npm run settings writes it', () => {
  const written = readFileSync(new URL('../../../docs/settings.md', import.meta.url), 'utf8');
  assert.ok(written === settingsPage(), 'docs/settings.md differs from the code: npm run settings');
});

test.run();
