import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

const reapEveryMs = 50;

/**
 * How to close `app`: it takes no more and finishes what is in flight. Connections that become idle meanwhile would be kept open by
 * their clients, and so would those that a browser has opened and not used yet, which the server itself does not call idle.
 */
export function closerOf(app: FastifyInstance): () => Promise<void> {
  const connections = new Set<Socket>();
  app.server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  const reap = (): void => {
    app.server.closeIdleConnections();
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
  return async () => {
    const reaper = setInterval(reap, reapEveryMs);
    try {
      await app.close();
    } finally {
      clearInterval(reaper);
    }
  };
}
