import { isObject } from "@toolpacks/core";
import { configText, readConfigBytes } from "./config-file.ts";
import { keyLocator } from "./positions/locate-key.ts";
import { placeIn } from "./positions/place-in.ts";

/** Returns a function that adds the line and column to problems about a key of a config file. */
export async function problemLocator(
  file: { readonly path: string; readonly config: object } | undefined,
): Promise<(problem: string) => string> {
  if (file === undefined) return (problem) => problem;
  const text = configText(readConfigBytes(file.path, "named"));
  const locate = await keyLocator(file.path, text);
  const prefix = `${file.path}: `;
  return (problem) => {
    const rest = problem.startsWith(prefix) ? problem.slice(prefix.length) : problem;
    const at = pathIn(file.config, rest);
    // A problem that does not name the file begins with a key in a key.
    const isLocated = rest !== problem || (at.length > 0 && rest.startsWith(`${String(at[0])}.`));
    return isLocated ? `${file.path}${placeIn(text, locate(at))}: ${rest}` : problem;
  };
}

/** The path of the key or list item that a problem names. */
function pathIn(config: object, problem: string): readonly PropertyKey[] {
  const path: PropertyKey[] = [];
  let value: unknown = config;
  let rest = problem;
  while (isObject(value)) {
    const key = nearestKey(value, rest);
    if (key === undefined) break;
    path.push(key);
    value = value[key];
    // An error of a pack begins with the name of the pack again.
    rest = rest.slice(key.length).replace(/^(\.|: (?:[\w-]+: )?)/, "");
  }
  if (!Array.isArray(value)) return path;
  // The first item that a problem names is the wrong one. Others follow as what is accepted.
  const items = value as readonly unknown[];
  const word = rest.split(/[\s,;:()"]+/).find((one) => items.includes(one));
  return word === undefined ? path : [...path, items.indexOf(word)];
}

function nearestKey(value: object, text: string): string | undefined {
  const keys = Object.keys(value).filter((key) => text.startsWith(key) && !/^[\w-]/.test(text.slice(key.length)));
  return keys.toSorted((a, b) => b.length - a.length)[0];
}
