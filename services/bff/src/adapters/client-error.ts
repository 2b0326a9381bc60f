import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { localized } from '#libs/refusal/localize.js';
import { typeOfReason } from '#libs/refusal/type-of-reason.js';

const reason = 'INVALID_REQUEST';

const statuses: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** Answers what is not HTTP, or came too slowly or too large to become a request. The connection ends with it. */
export function refuseConnection(error: Error & { code?: string }, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy();
  const status = statuses[error.code ?? ''] ?? 400;
  const phrase = STATUS_CODES[status];
  const body = JSON.stringify({
    type: typeOfReason(reason),
    title: localized(reason, 'en').title,
    status,
    detail: `The request could not be read: ${phrase}.`,
    reason,
  });
  const head = [
    `HTTP/1.1 ${status} ${phrase}`,
    'content-type: application/problem+json',
    `content-length: ${body.length}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
