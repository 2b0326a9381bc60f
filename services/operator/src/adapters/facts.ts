/** What a JSON text holds; the text itself when it is none. */
export function factsJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A JSON object in words: `kept 12, of_orders 10`; any other text as it stands. */
export function factsText(text: string): string {
  const facts = factsJson(text);
  if (facts === null) return '';
  if (typeof facts !== 'object' || Array.isArray(facts)) return text;
  return Object.entries(facts)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(', ');
}
