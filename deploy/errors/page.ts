import { againTexts } from '#libs/refusal/again.js';
import { catalogue, httpCatalogue, isReason, type Reason, refusalCatalogue } from '#libs/refusal/catalogue.js';
import { faultCatalogue } from '#libs/refusal/fault.js';
import { localized } from '#libs/refusal/localize.js';
import { bullet, heading, paragraph, table } from '../settings/text.js';

const introduction = [
  'This page is made by `npm run errors` from `libs/refusal`; a test compares them. Every reason for which a request may not be carried out is here. Reasons, codes and statuses never change.',
  'Over HTTP a problem (RFC 9457) names its `reason`, and its `type` is a path at the HTTP edge that explains it: `/problems/sold-out`. `title` and `detail` are in the language of `Accept-Language`: English or Simplified Chinese.',
  'Over gRPC a fault is a status with `google.rpc.Status`: one `ErrorInfo` with the reason and the facts, `BadRequest` with everything that is wrong, `RetryInfo` when to come again, and `LocalizedMessage` in the language of the metadata `accept-language`. A refusal is an answer. Decide by the reason: a RESOURCE_EXHAUSTED without one is a message that was too large, not a rate limit.',
];

/** The whole of docs/errors.md. */
export function errorsPage(): string {
  const kinds = Object.entries(againTexts.en).map(([again, text]) => bullet(`\`${again}\`: ${text}`));
  const parts = [
    heading(1, 'Errors'),
    ...introduction.map(paragraph),
    heading(2, 'May the same request be sent again?'),
    kinds.join('\n'),
    ...section('Refusals: a true no', refusalCatalogue),
    ...section('Faults', faultCatalogue),
    ...section('What only HTTP gets wrong', httpCatalogue),
  ];
  return `${parts.join('\n\n')}\n`;
}

function section(title: string, part: object): string[] {
  const reasons = Object.keys(part).filter(isReason);
  const rows = reasons.map((reason) => {
    const { httpStatus, code = '', again } = catalogue[reason];
    return [`\`${reason}\``, String(httpStatus), code, again];
  });
  return [heading(2, title), table(['reason', 'HTTP', 'gRPC', 'again'], rows), ...reasons.flatMap(entry)];
}

function entry(reason: Reason): string[] {
  const { title, templates, next } = localized(reason, 'en');
  const chinese = localized(reason, 'zh-CN');
  const said = [`Says: ${templates.map((one) => `“${one}”`).join(' or ')}`, `Next: ${next}`];
  const saidInChinese = [`${chinese.title}：${chinese.templates.map((one) => `“${one}”`).join('')}`, chinese.next];
  return [heading(3, reason), paragraph(`${title}.`), [...said, ...saidInChinese].map(bullet).join('\n')];
}
