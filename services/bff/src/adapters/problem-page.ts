import type { Locale } from '#libs/refusal/localize.js';
import { escaped, style } from './docs-page.js';
import type { ReasonJson } from './reason-json.js';

const words = {
  en: {
    all: 'Problems',
    reason: 'Reason',
    http: 'HTTP status',
    grpc: 'gRPC code',
    answer: 'none: a refusal is an answer',
    none: 'none: only HTTP has it',
    again: 'May the same request be sent again?',
    says: 'What it says',
    next: 'What to do next',
  },
  'zh-CN': {
    all: '问题一览',
    reason: '原因',
    http: 'HTTP 状态码',
    grpc: 'gRPC 状态码',
    answer: '无：拒绝属于正常答复',
    none: '无：仅出现在 HTTP 中',
    again: '可以重发相同的请求吗？',
    says: '说明文字',
    next: '下一步',
  },
} as const satisfies Record<Locale, Record<string, string>>;

/** All reasons as a page that needs no script. */
export function problemsPage(problems: readonly ReasonJson[], locale: Locale): string {
  const { all, reason, http, grpc } = words[locale];
  const rows = problems.map(
    (one) =>
      `<tr><td><a href="${escaped(one.type)}">${escaped(one.reason)}</a></td><td>${escaped(one.title)}</td>` +
      `<td>${one.status}</td><td>${escaped(one.grpc_code ?? '')}</td></tr>`,
  );
  const head = `<tr><th>${reason}</th><th></th><th>${http}</th><th>${grpc}</th></tr>`;
  return page({ title: all, locale, body: `<h1>${all}</h1><table>${head}${rows.join('\n')}</table>` });
}

/** One reason as such a page. */
export function problemPage(problem: ReasonJson, locale: Locale): string {
  const { all, reason, http, grpc, answer, none, again, says, next } = words[locale];
  const code = problem.grpc_code === 'OK' ? answer : (problem.grpc_code ?? none);
  const body = `<h1>${escaped(problem.title)}</h1>
<table><tr><th>${reason}</th><td><code>${escaped(problem.reason)}</code></td></tr>
<tr><th>${http}</th><td>${problem.status}</td></tr>
<tr><th>${grpc}</th><td>${escaped(code)}</td></tr></table>
<h2>${says}</h2><ul>${problem.details.map((detail) => `<li>${escaped(detail)}</li>`).join('')}</ul>
<h2>${next}</h2><p>${escaped(problem.next)}</p>
<h2>${again}</h2><p>${escaped(problem.repeat)}</p>
<p><a href="/problems">${all}</a></p>`;
  return page({ title: problem.title, locale, body });
}

function page({ title, locale, body }: { title: string; locale: Locale; body: string }): string {
  return `<!doctype html>
<html lang="${locale}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(title)}</title><style>${style}</style></head>
<body>${body}
</body></html>
`;
}
