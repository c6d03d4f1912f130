/** `{{topic}}`, also with spaces inside the braces. Other braces are text. */
const placeholder = /\{\{ *([A-Za-z_][A-Za-z0-9_-]{0,63}) *\}\}/g;

/** The names of the arguments in a text, in their order, each once. */
export function placeholdersOf(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(placeholder), ([, name = ""]) => name))];
}

/** Replaces each placeholder by its value, or by nothing. Placeholders in values are text. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(placeholder, (_, name: string) => (Object.hasOwn(values, name) ? (values[name] ?? "") : ""));
}
