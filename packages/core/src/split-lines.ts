/** Splits a text into lines. Lines keep their ends. Only a line feed ends a line. */
export function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}
