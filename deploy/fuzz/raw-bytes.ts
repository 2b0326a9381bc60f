import { connect } from 'node:net';
import type { Random } from '../rush/random.js';
import type { Findings, Told } from './findings.js';
import { mutateBytes, pick, randomBytes } from './mutate.js';

/** The server may take its time to find a request incomplete: nobody waits for that. */
const PATIENCE_MS = 300;

const HTTP_REQUEST = Buffer.from(
  'POST /v1/orders HTTP/1.1\r\nhost: x\r\nidempotency-key: k\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}',
);
/** The preface of HTTP/2, its first SETTINGS, and a HEADERS frame that is cut. */
const HTTP2_OPENING = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
  Buffer.from([0, 0, 5, 1, 4, 0, 0, 0, 1, 0x82, 0x84, 0x86, 0x41, 0x01]),
]);

/** Writes bytes that are hardly a protocol to a port, and reads what comes. */
export class RawBytes {
  constructor(private readonly addresses: readonly [string, ...string[]]) {}

  async shoot(random: Random, findings: Findings): Promise<void> {
    const address = pick(random, this.addresses);
    const opening = pick(random, [HTTP_REQUEST, HTTP2_OPENING] as const);
    const bytes = random.next() < 0.8 ? mutateBytes(random, opening) : randomBytes(random, random.integer(1, 2_000));
    findings.note(await this.#send(address, bytes), () => bytes.toString('hex'));
  }

  #send(address: string, bytes: Buffer): Promise<Told> {
    const [host = '', port] = address.split(':');
    const target = `bytes to ${address}`;
    return new Promise((resolve) => {
      const socket = connect({ host, port: Number(port) });
      let received = '';
      const end = (answer: string, wrong?: string): void => {
        socket.destroy();
        resolve({ target, answer, wrong });
      };
      socket.setTimeout(PATIENCE_MS, () => end(answerOf(received) ?? 'kept open'));
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        received += chunk;
      });
      socket.on('error', (error: NodeJS.ErrnoException) => {
        const isGone = error.code === 'ECONNREFUSED';
        end(answerOf(received) ?? 'reset', isGone ? 'nobody listens any more' : undefined);
      });
      socket.on('close', () => end(answerOf(received) ?? 'closed', wrongIn(received)));
      socket.end(bytes);
    });
  }
}

function answerOf(received: string): string | undefined {
  return /^HTTP\/1\.1 (\d{3})/.exec(received)?.[1];
}

function wrongIn(received: string): string | undefined {
  return /^HTTP\/1\.1 5/.test(received) && !/^HTTP\/1\.1 50[345]/.test(received) ? received : undefined;
}
