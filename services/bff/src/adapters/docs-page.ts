import { createHash } from 'node:crypto';
import type { Json } from './openapi-components.js';

/** The one style of all pages. */
export const style = `
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
code, pre { font: 14px/1.4 ui-monospace, monospace; }
pre { background: #f4f4f4; padding: .75rem; overflow-x: auto; }
h3 code { background: #e8eef7; padding: .1rem .4rem; }
table { border-collapse: collapse; width: 100%; }
td, th { border-bottom: 1px solid #ddd; padding: .25rem .5rem; text-align: left; vertical-align: top; }
`;

/** Nothing runs in the page, and its one style is this. */
export const docsPolicy = [
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'`,
  "frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
].join('; ');

interface Document {
  info: { title: string; version: string; summary: string; description: string };
  paths: Record<string, Record<string, OperationJson>>;
  components: { schemas: Record<string, Json> };
}

interface OperationJson {
  operationId: string;
  tags: string[];
  summary: string;
  security: unknown[];
  parameters: { name: string; in: string; required: boolean; description?: string }[];
  requestBody?: { content: Record<string, { schema: Json }> };
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

/** The document as a page that needs no script: each operation with its parameters, body and answers, and the schemas. */
export function docsPage(document: Json): string {
  const { info, paths, components } = document as unknown as Document;
  const operations = Object.entries(paths).flatMap(([path, verbs]) =>
    Object.entries(verbs).map(([method, operation]) => ({ path, method, operation })),
  );
  const tags = [...new Set(operations.flatMap(({ operation }) => operation.tags))];
  const sections = tags.map((tag) => {
    const own = operations.filter(({ operation }) => operation.tags.includes(tag));
    return `<h2>${escaped(tag)}</h2>${own.map(operationHtml).join('')}`;
  });
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `<h3 id="${escaped(name)}">${escaped(name)}</h3>${jsonHtml(schema)}`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(info.title)} ${escaped(info.version)}</title><style>${style}</style></head>
<body><h1>${escaped(info.title)} ${escaped(info.version)}</h1>
<p>${escaped(info.summary)}</p><p>${escaped(info.description)}</p>
<p><a href="/openapi.json">openapi.json</a></p>
${sections.join('\n')}
<h2>Schemas</h2>${schemas.join('\n')}
</body></html>
`;
}

function operationHtml({
  path,
  method,
  operation,
}: {
  path: string;
  method: string;
  operation: OperationJson;
}): string {
  const { operationId, summary, security, parameters, requestBody, responses } = operation;
  const rows = parameters.map(({ name, in: where, required, description = '' }) =>
    rowHtml([name, where, required ? 'required' : '', description]),
  );
  const answers = Object.entries(responses).map(([status, { description, content = {} }]) => {
    const kinds = Object.entries(content).map(([type, { schema }]) => `${type} ${nameOf(schema)}`);
    return rowHtml([status, description, kinds.join(', ')]);
  });
  const bodies = Object.values(requestBody?.content ?? {}).map(({ schema }) => jsonHtml(schema));
  return `<section id="${escaped(operationId)}"><h3><code>${method.toUpperCase()} ${escaped(path)}</code></h3>
<p>${escaped(summary)}.${security.length > 0 ? ' Needs a token.' : ''}</p>
${rows.length > 0 ? `<table>${rows.join('')}</table>` : ''}
${bodies.length > 0 ? `<details><summary>Body</summary>${bodies.join('')}</details>` : ''}
<details><summary>Answers</summary><table>${answers.join('')}</table></details></section>`;
}

/** The component that a schema refers to, or the reasons that a problem may have. */
function nameOf(schema: Json): string {
  const { $ref, allOf } = schema as { $ref?: string; allOf?: { properties?: { reason?: { enum: string[] } } }[] };
  const reasons = allOf?.flatMap(({ properties }) => properties?.reason?.enum ?? []);
  return reasons?.join(' ') ?? $ref?.split('/').at(-1) ?? '';
}

function rowHtml(cells: string[]): string {
  return `<tr>${cells.map((cell) => `<td>${escaped(cell)}</td>`).join('')}</tr>`;
}

function jsonHtml(json: Json): string {
  return `<pre>${escaped(JSON.stringify(json, undefined, 2))}</pre>`;
}

/** The text as HTML has it. */
export function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
