import { isObject } from "@toolpacks/core";
import { printableText, shellQuote } from "@toolpacks/terminal";
import { addressFields, readBlock, setFields, refusalText } from "@toolpacks/upstream/server-block";
import { packModule, type ConfigFile, type IgnoredSetting } from "@toolpacks/settings";
import type { Config } from "../config/config-schema.ts";
import { isBundled } from "../config/bundled-names.ts";
import { redactAddress } from "../stores/store-address.ts";
import { configRoots, renderRoot, type ConfigRoot } from "../config/config-roots.ts";

/** Renders a value in full: no argument of a program may be cut. Long runs of spaces, which would hide the rest, are replaced by their count. */
function show(value: unknown): string {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return printableText(text, Number.POSITIVE_INFINITY).replaceAll(
    /[\s\u2800\p{M}]{20,}/gu,
    (spaces) => ` (${spaces.length} spaces) `,
  );
}

/** Describes what a config file would run and allow if it were trusted, one line per item. */
export function describeIgnored(ignored: readonly IgnoredSetting[], file: ConfigFile<Config>): readonly string[] {
  const { directory } = file;
  const roots = configRoots(file);
  return ignored.flatMap(({ key, value }) => {
    const [setting = "", name = ""] = splitKey(key);
    if (setting === "mcpServers") return describeServer(printableText(name), value, directory);
    if (setting === "packs") return [...describePack(name, value, directory), ...describeRoots(`${key}.roots`, roots)];
    if (Array.isArray(value) && roots.some((root) => root.key === key)) return describeRoots(key, roots);
    return [`${printableText(key)}: ${describeSetting(setting, value)}`];
  });
}

function describeRoots(key: string, roots: readonly ConfigRoot[]): readonly string[] {
  const own = roots.filter((root) => root.key === key).map(renderRoot);
  return own.length === 0 ? [] : [`${printableText(key)}: files may be reached within ${own.join(", ")}`];
}

function splitKey(key: string): readonly string[] {
  const at = key.indexOf(".");
  return at === -1 ? [key] : [key.slice(0, at), key.slice(at + 1)];
}

function describeSetting(setting: string, value: unknown): string {
  if (setting === "store" && typeof value === "string") return show(redactAddress(value));
  if (setting === "write" && value === true) return "true, which offers the tools that change files";
  if (setting === "embeddings")
    return `${show(value)}, which is sent descriptions of tools, remembered facts and queries`;
  if (setting === "models") return `${show(value)}, which are sent prompts of workflows`;
  return show(value);
}

/** Describes what a block of `mcpServers` starts or connects to, and its other fields. */
function describeServer(name: string, block: unknown, directory: string): readonly string[] {
  const place = `mcpServers.${name}`;
  try {
    const { options } = readBlock(block, { here: directory, environment: {}, keepsVariables: true });
    const { command, args = [], url } = options as { command?: string; args?: readonly string[]; url?: string };
    const { command: _command, args: _args, ...others } = setFields(block);
    return [
      url === undefined
        ? `${place}: starts the program ${[command ?? "", ...args].map((word) => show(shellQuote(word))).join(" ")}`
        : `${place}: connects to ${show(url)}`,
      ...Object.entries(others).flatMap(([field, value]) =>
        addressFields.some((name) => name === field) && value === url
          ? []
          : [`${place}.${printableText(field)}: ${show(value)}`],
      ),
    ];
  } catch (error) {
    // A variable may make the block valid later, so it is shown as written.
    return [`${place}: ${show(block)}, which cannot be used as it is (${show(refusalText(error))})`];
  }
}

function describePack(name: string, options: unknown, directory: string): readonly string[] {
  const shownOptions = isObject(options) && Object.keys(options).length > 0 ? ` with the options ${show(options)}` : "";
  return [`packs.${printableText(name)}: ${describeOrigin(name, directory)}${shownOptions}`];
}

function describeOrigin(name: string, directory: string): string {
  if (isBundled(name)) return "the bundled pack";
  try {
    return `runs the module ${show(packModule(name, directory))}`;
  } catch {
    return "runs a module of this name, which is not installed now";
  }
}

/** The environment variables that ignored settings use. */
export function namedVariables(ignored: readonly IgnoredSetting[]): readonly string[] {
  const names = new Set<string>();
  const collect = (value: unknown, field: string): void => {
    if (typeof value === "string") {
      for (const [, name = ""] of value.matchAll(/\$\{(?:env:)?([A-Za-z_]\w*)[:}]/g)) names.add(name);
      const whole = /^\$([A-Za-z_]\w*)$/.exec(value)?.[1];
      if (whole !== undefined) names.add(whole);
      if (field === "keyVariable") names.add(value);
    } else if (value !== null && typeof value === "object") {
      for (const [inner, one] of Object.entries(value)) collect(one, inner);
    }
  };
  for (const { value } of ignored) collect(value, "");
  for (const editorWord of ["env", "input", "userHome", "pathSeparator"]) names.delete(editorWord);
  return [...names].toSorted().map((name) => printableText(name));
}
