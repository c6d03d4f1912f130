/** `{{topic}}`, also with spaces inside the braces. Other braces are text. */
const argument = /\{\{ *([A-Za-z_][A-Za-z0-9_-]{0,63}) *\}\}/g;

/** The names of the arguments in a text, in their order, each once. */
export function argumentNames(text: string): readonly string[] {
  return [...new Set(Array.from(text.matchAll(argument), ([, name = ""]) => name))];
}

/** Replaces each argument by its value, or by nothing. Arguments in values are text. */
export function fillIn(text: string, values: Readonly<Record<string, string>>): string {
  return text.replaceAll(argument, (_, name: string) => valueOf(name, values));
}

/** The length of a text with its values. */
export function filledLength(text: string, values: Readonly<Record<string, string>>): number {
  let length = text.length;
  for (const [found, name = ""] of text.matchAll(argument)) length += valueOf(name, values).length - found.length;
  return length;
}

function valueOf(name: string, values: Readonly<Record<string, string>>): string {
  return Object.hasOwn(values, name) ? (values[name] ?? "") : "";
}
