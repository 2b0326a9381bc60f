import { AsyncLocalStorage } from 'node:async_hooks';
import type * as OpenTelemetry from '@opentelemetry/api';
import type { Attributes, Link, Span, SpanContext, Tracer } from '@opentelemetry/api';
import { faultOf } from '#libs/refusal/fault.js';
import { readTraceparent, traceparentOf } from './traceparent.js';

/** The spans of this process. Undefined while no endpoint is set: looking here is then all that tracing costs. */
export let tracing: Tracing | undefined;

export function traceWith(next: Tracing | undefined): void {
  tracing = next;
}

/** Sampled work, as those see it that it leads to. */
export interface Scope {
  readonly parent: SpanContext;
  /** The others of the same batch. */
  readonly links: Link[];
  /** Items of the batch. */
  readonly items?: number;
  /** What still happens in its name is not its own any more: a timer that it began, a connection that it opened. */
  isOver: boolean;
}

/**
 * Makes spans. A trace begins where something arrives from outside and follows the calls that are made for it; what waits in a
 * lane takes its scope along, and the batch is a part of the first trace in it, linked with the others. What no sampled work
 * asks for has no span.
 */
export class Tracing {
  readonly #api: typeof OpenTelemetry;
  readonly #tracer: Tracer;
  readonly #scopes = new AsyncLocalStorage<Scope | undefined>();

  constructor(api: typeof OpenTelemetry, tracer: Tracer) {
    this.#api = api;
    this.#tracer = tracer;
  }

  /** That of the work in hand, if it is sampled. */
  get scope(): Scope | undefined {
    const scope = this.#scopes.getStore();
    return scope?.isOver ? undefined : scope;
  }

  /** By which others are told of the work in hand. */
  get traceparent(): string | undefined {
    const { scope } = this;
    return scope && traceparentOf(scope.parent);
  }

  /** For what arrives: a part of the trace that it names, else the root of a new one. The sampler decides about roots alone. */
  arrived(kind: 'SERVER' | 'CONSUMER', name: string, attributes: Attributes, traceparent?: string): Work {
    const parent = readTraceparent(traceparent);
    return new Work(this.#start(name, { kind, attributes, parent }), this.#scopes);
  }

  /** For what the work in hand asks of others; undefined when it is not sampled. */
  asks(kind: 'CLIENT' | 'PRODUCER', name: string, attributes: Attributes): Work | undefined {
    const { scope } = this;
    if (scope === undefined) return undefined;
    const { parent, links, items } = scope;
    const all = items === undefined ? attributes : { ...attributes, 'holdfast.batch.items': items };
    return new Work(this.#start(name, { kind, attributes: all, parent, links }), this.#scopes);
  }

  /** Runs what is done for all items of a batch at once. */
  batch<Result>(scopes: readonly (Scope | undefined)[], run: () => Result): Result {
    const sampled = new Map<string, SpanContext>();
    for (const scope of scopes) if (scope !== undefined) sampled.set(scope.parent.spanId, scope.parent);
    const [parent, ...others] = sampled.values();
    if (parent === undefined) return this.outside(run);
    const links = others.map((context) => ({ context }));
    return this.#scopes.run({ parent, links, items: scopes.length, isOver: false }, run);
  }

  /** Runs what is no part of the work in hand. */
  outside<Result>(run: () => Result): Result {
    return this.#scopes.getStore() === undefined ? run() : this.#scopes.run(undefined, run);
  }

  #start(name: string, { kind, attributes, parent, links = [] }: Beginning): Span {
    const { ROOT_CONTEXT, SpanKind, trace } = this.#api;
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    return this.#tracer.startSpan(name, { kind: SpanKind[kind], attributes, links }, context);
  }
}

interface Beginning {
  readonly kind: 'SERVER' | 'CLIENT' | 'PRODUCER' | 'CONSUMER';
  readonly attributes: Attributes;
  readonly parent?: SpanContext | undefined;
  readonly links?: Link[];
}

/** One span of ours, from its beginning to its end. */
export class Work {
  readonly #span: Span;
  readonly #scopes: AsyncLocalStorage<Scope | undefined>;
  readonly #scope: Scope;

  constructor(span: Span, scopes: AsyncLocalStorage<Scope | undefined>) {
    this.#span = span;
    this.#scopes = scopes;
    this.#scope = { parent: span.spanContext(), links: [], isOver: false };
  }

  get isSampled(): boolean {
    return this.#span.isRecording();
  }

  /** As which it goes on to others. */
  get traceparent(): string {
    return traceparentOf(this.#scope.parent);
  }

  /** Runs what it consists of. */
  within<Result>(run: () => Result): Result {
    return this.isSampled ? this.#scopes.run(this.#scope, run) : run();
  }

  set(name: string, value: string | number): void {
    this.#span.setAttribute(name, value);
  }

  /** It went wrong. Of an error only its reason is told: texts may name somebody. */
  fail(error: unknown): void {
    this.#span.setStatus({ code: 2 });
    this.#span.setAttribute('error.type', typeof error === 'string' ? error : faultOf(error).reason);
  }

  end(): void {
    this.#scope.isOver = true;
    this.#span.end();
  }
}
