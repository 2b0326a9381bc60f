/** A part of a JSON document. */
export type Json = { [member: string]: unknown };

/** The schemas of a document that have a name, each written once. */
export class Components {
  constructor(readonly schemas: Record<string, Json>) {}

  /** The schema as it stands in the document: what has a title is a component, and only referred to. */
  place(schema: Json): Json {
    const { title, ...rest } = this.#parts(schema);
    if (typeof title !== 'string') return rest;
    this.schemas[title] ??= rest;
    return { $ref: `#/components/schemas/${title}` };
  }

  #parts(schema: Json): Json {
    return Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, this.#part(name, value)]));
  }

  #part(name: string, value: unknown): unknown {
    if (name === 'examples' || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    if (name !== 'properties') return this.place(value as Json);
    const members = Object.entries(value as Record<string, Json>);
    return Object.fromEntries(members.map(([member, schema]) => [member, this.place(schema)]));
  }
}
