/** What a JSON text holds; the text itself when it is none. */
export function factsJson(text: string): unknown {
  if (text === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A JSON object in words: `held 12, of_orders (held 10, sold 0)`; any other text as it stands. */
export function factsText(text: string): string {
  const facts = factsJson(text);
  if (facts === null) return '';
  return isObject(facts) ? objectText(facts) : text;
}

function objectText(facts: object): string {
  return Object.entries(facts)
    .map(
      ([name, value]) =>
        `${name} ${isObject(value) ? `(${objectText(value)})` : Array.isArray(value) ? JSON.stringify(value) : value}`,
    )
    .join(', ');
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
