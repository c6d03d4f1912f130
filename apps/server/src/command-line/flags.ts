import { InvalidArgumentError, Option, type Command } from "commander";
import { resultsModes } from "@toolpacks/core";
import { surfaceNames } from "@toolpacks/surface";
import { splitNames } from "../config/settings.ts";
import { logLevels } from "../log.ts";
import { shortAddressFormats } from "../stores/bundled-drivers.ts";

/** Adds the flags that decide what is mounted. */
export function addMountFlags(command: Command): Command {
  return command
    .optionsGroup("What is mounted:")
    .option(
      "--config <file>",
      "config file (default: the nearest toolpacks.config.{jsonc,json,yaml,toml}, found upward)",
    )
    .option("--trust", "apply the whole config file even if it is not trusted (for CI)")
    .option("--expose <facets>", "facets whose tools are listed, such as core,filesystem", splitNames)
    .option("--deny <names>", "facets and tools that are not listed, found or called", splitNames)
    .addOption(new Option("--surface <name>", "how tools are listed").choices([...surfaceNames]))
    .option("--facet <name>", "mount only this pack and list its tools directly")
    .option("--root <dir>", "folder whose files the tools may access (repeatable)", collect)
    .option(
      "--store <address>",
      `store of the records: ${shortAddressFormats} (default: a file in the user's data folder)`,
    )
    .option("--workspace <id>", "workspace of the records (default: the workspace of the first root)")
    .option("--write", "enable the tools that change files")
    .option("--read-only", "refuse all tools that change anything")
    .addOption(new Option("--results <form>", "form of results").choices([...resultsModes]))
    .addOption(new Option("--log-level <level>", "minimum level of the log on stderr").choices([...logLevels]))
    .optionsGroup("Options:");
}

/** Adds the flags that select the store. */
export function addStoreFlags(command: Command): Command {
  return command
    .optionsGroup("Config and store:")
    .option(
      "--config <file>",
      "config file (default: the nearest toolpacks.config.{jsonc,json,yaml,toml}, found upward)",
    )
    .option("--trust", "apply the whole config file even if it is not trusted (for CI)")
    .option("--store <address>", `store: ${shortAddressFormats} (default: a file in the user's data folder)`)
    .optionsGroup("Options:");
}

/** Reads a whole number from 1. */
export function parseCount(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new InvalidArgumentError("expected a whole number from 1");
  return count;
}

/** Collects the values of a repeated flag. */
export function collect(one: string, all: readonly string[] = []): readonly string[] {
  return [...all, one];
}
