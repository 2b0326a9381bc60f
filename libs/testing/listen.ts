/** One event of a stream. */
export interface HeardEvent {
  event: string;
  id: string;
  /** The data, read as JSON. */
  data: Record<string, unknown>;
}

/** Somebody who listens to a stream of server-sent events. */
export interface Listening {
  status: number;
  headers: Headers;
  events: HeardEvent[];
  /** How many comments came. */
  comments: number;
  /** What `retry` said, in ms. */
  retries: number[];
  /** `cut`: the connection broke; undefined while it lasts. Of an answer that is no stream it is `clean`. */
  end: 'clean' | 'cut' | undefined;
  /** The body of an answer that is no stream. */
  text: string;
  close(): void;
}

/** Asks for a stream and reads it as a page does that uses fetch. Resolves when the head of the answer has come. */
export async function listen(url: string, headers: Record<string, string> = {}): Promise<Listening> {
  const abort = new AbortController();
  const response = await fetch(url, { headers, signal: abort.signal });
  const listening: Listening = {
    ...{ status: response.status, headers: response.headers, events: [], comments: 0, retries: [] },
    ...{ end: undefined, text: '' },
    close: () => abort.abort(),
  };
  if (response.headers.get('content-type') === 'text/event-stream') void readAll(response, listening);
  else {
    listening.text = await response.text();
    listening.end = 'clean';
  }
  return listening;
}

async function readAll({ body }: Response, listening: Listening): Promise<void> {
  let text = '';
  try {
    for await (const chunk of body?.pipeThrough(new TextDecoderStream()) ?? []) {
      const blocks = (text + chunk).split('\n\n');
      text = blocks.pop() ?? '';
      for (const block of blocks) take(block, listening);
    }
    listening.end = 'clean';
  } catch {
    listening.end = 'cut';
  }
}

function take(block: string, listening: Listening): void {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const colon = line.indexOf(':');
    if (colon === 0) listening.comments += 1;
    else fields.set(line.slice(0, colon), line.slice(colon + 1).trimStart());
  }
  const retry = fields.get('retry');
  if (retry !== undefined) listening.retries.push(Number(retry));
  const data = fields.get('data');
  if (data === undefined) return;
  listening.events.push({ event: fields.get('event') ?? '', id: fields.get('id') ?? '', data: JSON.parse(data) });
}
