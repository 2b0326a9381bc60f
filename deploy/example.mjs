// What npm run book, notify, service and webhooks share.
import { readFileSync } from 'node:fs';
import { prepare } from './prepare.mjs';

/** Runs examples/NAME.ts, whose first comment is its help. Options that it does not have end it with 2. */
export async function runExample(name) {
  prepare();
  if (process.argv.includes('--help')) return console.log(helpOf(name));
  try {
    await import(`../dist/examples/${name}.js`);
  } catch (error) {
    const isMistyped = error.code?.startsWith?.('ERR_PARSE_ARGS') ?? false;
    console.error(isMistyped ? `${error.message}\n\n${helpOf(name)}` : error.message);
    process.exit(isMistyped ? 2 : 1);
  }
}

function helpOf(name) {
  const [comment] = readFileSync(new URL(`../examples/${name}.ts`, import.meta.url), 'utf8').split('\nimport ');
  return comment.replaceAll(/^\/\/ ?/gm, '');
}
