import path from "node:path";
import { isObject } from "@toolpacks/core";
import { isBundled } from "../bundled-packs.ts";
import { packModule } from "../pack-module.ts";
import { printableText } from "../printable-text.ts";
import { shownAddress } from "../store.ts";
import type { IgnoredSetting } from "./untrusted-config.ts";

/** Nothing that a program is given may be cut unseen. */
const maxShown = 100_000;
const show = (value: unknown) => printableText(typeof value === "string" ? value : JSON.stringify(value), maxShown);

/** What a config file would run and allow once it is trusted, a line for each thing. */
export function describeIgnored(ignored: readonly IgnoredSetting[], directory: string): readonly string[] {
  return ignored.flatMap(({ key, value }) => {
    const [setting = "", name = ""] = splitKey(key);
    if (setting === "mcpServers") return describeServer(printableText(name), value);
    if (setting === "packs") return describePack(name, value, directory);
    return [`${printableText(key)}: ${describeSetting(setting, value, directory)}`];
  });
}

function splitKey(key: string): readonly string[] {
  const at = key.indexOf(".");
  return at === -1 ? [key] : [key.slice(0, at), key.slice(at + 1)];
}

function describeSetting(setting: string, value: unknown, directory: string): string {
  if (setting === "roots" && Array.isArray(value)) {
    return `files may be reached within ${value.map((root) => show(path.resolve(directory, String(root)))).join(", ")}`;
  }
  if (setting === "store" && typeof value === "string") return show(shownAddress(value));
  if (setting === "write" && value === true) return "true, which offers the tools that change files";
  if (setting === "embeddings") return `${show(value)}, which is sent descriptions of tools and queries`;
  return show(value);
}

function describeServer(name: string, block: unknown): readonly string[] {
  if (!isObject(block)) return [`mcpServers.${name}: ${show(block)}`];
  const { command, args, url, serverUrl, httpUrl, ...others } = block;
  const address = url ?? serverUrl ?? httpUrl;
  const words = [command, ...(Array.isArray(args) ? args : [args])].filter((word) => word !== undefined);
  return [
    ...(command === undefined && args === undefined
      ? []
      : [`mcpServers.${name}: starts the program ${words.map(show).join(" ")}`]),
    ...(address === undefined ? [] : [`mcpServers.${name}: connects to ${show(address)}`]),
    ...Object.entries(others).map(([field, value]) => `mcpServers.${name}.${printableText(field)}: ${show(value)}`),
  ];
}

function describePack(name: string, options: unknown, directory: string): readonly string[] {
  const given = isObject(options) && Object.keys(options).length > 0 ? ` with the options ${show(options)}` : "";
  return [`packs.${printableText(name)}: ${originOf(name, directory)}${given}`];
}

function originOf(name: string, directory: string): string {
  if (isBundled(name)) return "the bundled pack";
  try {
    return `runs the module ${show(packModule(name, directory))}`;
  } catch {
    return "runs a module of this name, which is not installed now";
  }
}

/** The variables of the environment that a config file reads, to run or to send them. */
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
