import { type Program, startProgram } from '../drivers/start-program.js';

const programs = {
  'echo-server': new URL('./echo-server.js', import.meta.url),
  'constant-edge': new URL('./constant-edge.js', import.meta.url),
  monolith: new URL('./monolith.js', import.meta.url),
  'unary-answers': new URL('./unary-answers.js', import.meta.url),
  'unary-edge': new URL('./unary-edge.js', import.meta.url),
  'unary-gateway': new URL('./unary-gateway.js', import.meta.url),
  'unary-inventory': new URL('./unary-inventory.js', import.meta.url),
  'unary-order': new URL('./unary-order.js', import.meta.url),
};

export type RivalProgram = keyof typeof programs;

/** A process of a rival. */
export type Rival = Program;

/** Starts a program of this folder and resolves when it serves. */
export function startRival(name: RivalProgram, args: string[] = []): Promise<Rival> {
  return startProgram(programs[name], args);
}
