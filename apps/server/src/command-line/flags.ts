import { InvalidArgumentError, Option } from "commander";
import { resultsModes } from "@toolpacks/core";
import { surfaceNames } from "@toolpacks/surface";
import { splitNames } from "../config/settings.ts";
import { logLevels } from "../log.ts";
import { shortAddressFormats } from "../stores/bundled-drivers.ts";

/** The flags that select the config file. A flag belongs to one group of the help, so each group has its own. */
function configFlags(): readonly Option[] {
  return [
    new Option(
      "--config <file>",
      "config file (default: the nearest toolpacks.config.{jsonc,json,yaml,toml}, found upward)",
    ),
    new Option("--trust", "apply the whole config file even if it is not trusted (for CI)"),
  ];
}

const fallbackStore = "(default: a file in the user's data folder)";

/** The flags that decide what is mounted. */
export const mountFlags = {
  title: "What is mounted:",
  flags: [
    ...configFlags(),
    flag("--expose <facets>", "facets whose tools are listed, such as core,filesystem", splitNames),
    flag("--deny <names>", "facets and tools that are not listed, found or called", splitNames),
    new Option("--surface <name>", "how tools are listed").choices([...surfaceNames]),
    new Option("--facet <name>", "mount only this pack and list its tools directly"),
    flag("--root <dir>", "folder whose files the tools may access (repeatable)", collect),
    new Option("--store <address>", `store of the records: ${shortAddressFormats} ${fallbackStore}`),
    new Option("--workspace <id>", "workspace of the records (default: the workspace of the first root)"),
    new Option("--write", "enable the tools that change files"),
    new Option("--read-only", "refuse all tools that change anything"),
    new Option("--results <form>", "form of results").choices([...resultsModes]),
    new Option("--log-level <level>", "minimum level of the log on stderr").choices([...logLevels]),
  ],
};

/** The flags that select the store. */
export const storeFlags = {
  title: "Config and store:",
  flags: [...configFlags(), new Option("--store <address>", `store: ${shortAddressFormats} ${fallbackStore}`)],
};

/** The flag of each command that calls tools. */
export const urlFlag = new Option("--url <address>", "call the tools of this running serve --http [$TOOLPACKS_URL]");

export const jsonFlag = new Option("--json", "print JSON");

/** A flag whose value is parsed. The parser also receives the value of an earlier flag of the same name. */
export function flag<Value>(form: string, help: string, parse: (text: string, before?: Value) => Value): Option {
  return new Option(form, help).argParser<Value>(parse);
}

/** Reads a whole number from 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("expected a whole number from 1");
  return count;
}

/** Reads one folder as the list of roots. */
export function oneRoot(directory: string): readonly string[] {
  return [directory];
}

/** Collects the values of a repeated flag. */
export function collect(one: string, all: readonly string[] = []): readonly string[] {
  return [...all, one];
}
