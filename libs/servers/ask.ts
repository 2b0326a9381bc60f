import { connect } from 'node:net';

/**
 * Connects to a port of 127.0.0.1, writes `request` and resolves what came back by the time it holds
 * `ending`; rejects after a second, or when the connection fails or ends before.
 */
export function ask(port: number, request: string, ending: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let answer = '';
    const socket = connect({ port, host: '127.0.0.1' }, () => socket.write(request));
    const fail = (reason: string): void => {
      socket.destroy();
      reject(new Error(`port ${port}: ${reason}`));
    };
    socket.setEncoding('utf8');
    socket.setTimeout(1000, () => fail('no answer'));
    socket.once('error', (error) => fail(error.message));
    socket.once('close', () => fail('closed'));
    socket.on('data', (chunk: string) => {
      answer += chunk;
      if (!answer.includes(ending)) return;
      socket.destroy();
      resolve(answer);
    });
  });
}
