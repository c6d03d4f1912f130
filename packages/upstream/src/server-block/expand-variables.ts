import { homedir } from "node:os";
import path from "node:path";

/** `${NAME}`, `${NAME:-otherwise}` and `${env:NAME}`, as the clients' config files write them. */
const variable = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
/** What an editor would ask its user for. */
const question = /\$\{input:([^}]+)\}/;
/** What only an editor, or a window of it, knows. */
const editors = /\$\{(?:workspaceFolder(?:Basename)?(?::[^-}][^}]*)?|(?:file|command|config):[^-}][^}]*)\}/;
/** What editors know, and we too. */
const known: Readonly<Record<string, string>> = { userHome: homedir(), pathSeparator: path.sep };

/** A variable of the environment without which a text says nothing. */
export class UnsetVariable extends Error {}

/** Puts variables of the environment into every text of a value. @throws Error that names what is missing */
export function expandVariables<Value>(value: Value, environment: Readonly<Record<string, string | undefined>>): Value {
  const expand = (one: unknown): unknown => {
    if (typeof one === "string") return expandText(one, environment);
    if (Array.isArray(one)) return one.map(expand);
    if (one === null || typeof one !== "object") return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, expand(inner)]));
  };
  return expand(value) as Value;
}

function expandText(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  const asked = question.exec(text)?.[1];
  if (asked !== undefined) throw new Error(`it asks for the input ${asked}, which only an editor can`);
  const editor = editors.exec(text)?.[0];
  if (editor !== undefined) throw new Error(`what ${editor} stands for is known to its editor alone`);
  return text.replaceAll(variable, (_, name: string, otherwise: string | undefined) => {
    const value = ownText(environment, name) ?? ownText(known, name);
    if (value !== undefined && value !== "") return value;
    if (otherwise !== undefined) return otherwise;
    throw new UnsetVariable(`the environment variable ${name} is not set`);
  });
}

/** `${constructor}` is a variable like any other, and not what every object inherits. */
function ownText(texts: Readonly<Record<string, string | undefined>>, name: string): string | undefined {
  return Object.hasOwn(texts, name) ? texts[name] : undefined;
}
