import type { Session } from './till.js';

/** What a customer sees: what it costs and a button. Everything shown was checked to be plain. */
export function checkoutPage({ sessionId, orderId, amountMinor, currency, state, endsAt }: Session): string {
  const button =
    state === 'OPEN' && endsAt > new Date()
      ? `<form method="post" action="/checkout/${sessionId}/press"><button>Pay</button></form>`
      : `<p>${state === 'CAPTURED' ? 'It is paid.' : 'It has ended.'}</p>`;
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Sandbox checkout</title>
<h1>${amountMinor} ${currency} (minor units)</h1><p>Order ${escaped(orderId)}, until ${endsAt.toISOString()}. No money moves.</p>${button}</html>
`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
