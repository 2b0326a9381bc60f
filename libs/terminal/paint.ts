const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

/** Gives a text a colour, or leaves it as it is. */
export type Paint = (colour: keyof typeof CODES, text: string) => string;

/** Colours for a stream that is a terminal, unless NO_COLOR is set; elsewhere texts stay as they are. */
export function painter(stream: { isTTY?: boolean }, env: { readonly NO_COLOR?: string | undefined }): Paint {
  if (stream.isTTY !== true || (env.NO_COLOR ?? '') !== '') return (_colour, text) => text;
  return (colour, text) => `\u001b[${CODES[colour]}m${text}\u001b[0m`;
}
