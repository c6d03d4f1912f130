import { homedir } from "node:os";
import path from "node:path";
import { isObject } from "@toolpacks/core";

/** `${NAME}`, `${NAME:-default}` and `${env:NAME}`, as in the clients' config files. */
const variable = /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g;
/** An input that an editor asks its user for. */
const question = /\$\{input:([^}]+)\}/;
/** Variables that only an editor knows. */
const editors = /\$\{(?:workspaceFolder(?:Basename)?(?::[^-}][^}]*)?|(?:file|command|config):[^-}][^}]*)\}/;
/** Variables of editors that we know too. */
const known: Readonly<Record<string, () => string>> = { userHome: homedir, pathSeparator: () => path.sep };

/** Thrown for a variable that is not set and has no default. */
export class UnsetVariable extends Error {}

/** Expands variables in every text of a value. @throws Error that names the missing variable */
export function expandVariables<Value>(value: Value, environment: Readonly<Record<string, string | undefined>>): Value {
  const expand = (one: unknown): unknown => {
    if (typeof one === "string") return expandText(one, environment);
    if (Array.isArray(one)) return one.map(expand);
    if (!isObject(one)) return one;
    return Object.fromEntries(Object.entries(one).map(([name, inner]) => [name, expand(inner)]));
  };
  return expand(value) as Value;
}

function expandText(text: string, environment: Readonly<Record<string, string | undefined>>): string {
  const input = question.exec(text)?.[1];
  if (input !== undefined) throw new Error(`only an editor can ask for the input ${input}`);
  const editor = editors.exec(text)?.[0];
  if (editor !== undefined) throw new Error(`only an editor can expand ${editor}`);
  return text.replaceAll(variable, (_, name: string, defaultValue: string | undefined) => {
    // Own properties only: `${constructor}` is not the inherited one.
    const own = Object.hasOwn(environment, name) ? environment[name] : undefined;
    const value = own ?? (Object.hasOwn(known, name) ? known[name]?.() : undefined);
    if (value !== undefined && value !== "") return value;
    if (defaultValue !== undefined) return defaultValue;
    throw new UnsetVariable(`the environment variable ${name} is not set`);
  });
}
