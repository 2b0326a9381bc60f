import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, suite } from '#libs/testing/suite.js';
import { Forecast } from './forecast.js';

const test = suite('forecast');

test('a benchmark takes as long as when it last ran in the same way, and an unknown one half a minute', () => {
  const directory = mkdtempSync(join(tmpdir(), 'holdfast-forecast-'));
  try {
    const lines = [
      { quick: true, took_s: 10 },
      { quick: true, took_s: 12 },
      { quick: false, took_s: 70 },
    ];
    writeFileSync(join(directory, 'P1.jsonl'), lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
    const forecast = new Forecast(directory, ['P1', 'P2'], true);
    assert.is(forecast.left(['P1', 'P2'], 2), 40);
    assert.is(forecast.left(['P2'], 45), 0);
    assert.is(new Forecast(directory, ['P1'], false).left(['P1'], 0), 70);
  } finally {
    rmSync(directory, { recursive: true });
  }
});

test.run();
