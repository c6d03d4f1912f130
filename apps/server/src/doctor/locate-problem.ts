import { isObject } from "@toolpacks/core";
import { configText, keyLocator, readConfigBytes, renderPosition } from "@toolpacks/settings";
import type { Settings } from "../config/settings.ts";

/** Keys of the config file with which a problem may begin without the file's name. */
const named = /^(mcpServers|packs|workflows|http)\./;

/** Returns a function that adds the line and column to problems about a key of the config file. */
export async function problemLocator(file: Settings["file"]): Promise<(problem: string) => string> {
  if (file === undefined) return (problem) => problem;
  const locate = await keyLocator(file.path, configText(readConfigBytes(file.path, "named")));
  const prefix = `${file.path}: `;
  return (problem) => {
    const begins = problem.startsWith(prefix);
    if (!begins && !named.test(problem)) return problem;
    const rest = begins ? problem.slice(prefix.length) : problem;
    return `${file.path}${renderPosition(locate(pathIn(file.config, rest)))}: ${rest}`;
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
  const words = rest.split(/[\s,;:()"]+/);
  // The first item that a problem names is the wrong one. Others follow as what is accepted.
  const word = Array.isArray(value) ? words.find((one) => (value as unknown[]).includes(one)) : undefined;
  return Array.isArray(value) && word !== undefined ? [...path, value.indexOf(word)] : path;
}

function nearestKey(value: object, text: string): string | undefined {
  const keys = Object.keys(value).filter((key) => text.startsWith(key) && !/^[\w-]/.test(text.slice(key.length)));
  return keys.toSorted((a, b) => b.length - a.length)[0];
}
