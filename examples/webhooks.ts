// A store's receiver of webhooks: verifies each as Standard Webhooks say, and prints each event once.
//
//   npx --no-install holdfast webhook add --store kiln --url http://127.0.0.1:8091/hooks
//   echo whsec_… > .holdfast/webhook.secret             two of them, in a line each, while a secret is replaced
//   npm run webhooks
//   npm run webhooks -- --port 8091 --secret webhook.secret --file webhooks.log
//
// The file is what was taken, and the memory of it: a line begins with the webhook-id. 204 is answered once the line is on
// the disk, so an event is lost by no crash, and one that comes again, after an answer was lost, is printed no second time.
import { closeSync, fsyncSync, ftruncateSync, openSync, readFileSync, writeSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { parseArgs } from 'node:util';
import { MESH_DIRECTORY } from '#libs/mesh/mesh-file.js';
import { disbelief, isWebhookSecret } from '#libs/webhook/signature.js';

const MAX_BYTES = 1_000_000;
const file = { type: 'string', default: join(MESH_DIRECTORY, 'webhooks.log') } as const;
const secret = { type: 'string', default: join(MESH_DIRECTORY, 'webhook.secret') } as const;
const { values } = parseArgs({ options: { port: { type: 'string', default: '8091' }, file, secret } });
const secrets = readFileSync(values.secret, 'utf8').trim().split('\n');
if (!secrets.every(isWebhookSecret)) {
  console.error(`${values.secret} must have what holdfast webhook add has shown: whsec_ and more`);
  process.exit(2);
}
const log = openSync(values.file, 'a');
process.once('exit', () => closeSync(log));
const known = new Set(wholeLines().map(idOf));

const server = createServer(async (request, response) => {
  response.writeHead(await take(request).catch(() => 500)).end();
});
server.listen(Number(values.port), '127.0.0.1', () => console.log('listening on', server.address()));

/** What was taken. A line that a kill cut off was not answered: it is taken away, and its event comes again. */
function wholeLines(): string[] {
  const text = readFileSync(values.file, 'utf8');
  const whole = text.slice(0, text.lastIndexOf('\n') + 1);
  ftruncateSync(log, Buffer.byteLength(whole));
  return whole.split('\n');
}

/** Resolves the status to answer with. */
async function take(request: IncomingMessage): Promise<number> {
  const length = Number(request.headers['content-length'] ?? Number.NaN);
  if (!(length <= MAX_BYTES)) return 413;
  // The bytes as they came: parsed and written again they would be others, and their signature another.
  const body = await buffer(request);
  const header = (name: string) => request.headers[name]?.toString();
  const id = header('webhook-id') ?? '';
  const webhook = { id, body, timestamp: header('webhook-timestamp'), signature: header('webhook-signature') };
  const wrong = disbelief(secrets, webhook, new Date());
  if (wrong !== undefined) {
    console.warn(`not believed: ${wrong}`);
    return 401;
  }
  if (known.has(id)) return 204;
  const line = `${id} ${sentenceOf(JSON.parse(body.toString()))}`;
  writeSync(log, `${line}\n`);
  fsyncSync(log);
  known.add(id);
  console.log(line);
  return 204;
}

function sentenceOf({ type, data }: { type: string; data: Record<string, unknown> }): string {
  const who = data.user_id === undefined ? '' : ` of ${data.user_id}, version ${data.version}`;
  const money =
    data.number === undefined ? '' : ` ${data.number}: ${data.amount_minor} ${data.currency}, ${data.reason}`;
  return `${type} ${data.order_id ?? data.entry_id ?? data.store_id}${who}${money}`;
}

function idOf(line: string): string | undefined {
  return line.split(' ')[0];
}
