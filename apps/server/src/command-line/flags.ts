import { collect, flag, type SharedFlags, withVariable } from "@toolpacks/command-line";
import { Option } from "commander";
import { resultsModes } from "@toolpacks/core";
import { surfaceNames } from "@toolpacks/surface";
import { splitNames } from "../config/settings.ts";
import { logLevels } from "../log.ts";
import { shortAddressFormats } from "../stores/bundled-drivers.ts";

/** A flag of a setting, with its default and the variable that it overrides, for its help. */
export function setting(option: Option, fallback: string, variable?: string): Option {
  option.default(undefined, fallback);
  return variable === undefined ? option : withVariable(option, `TOOLPACKS_${variable}`);
}

/** The flags that select the config file. A flag belongs to one group of the help, so each group has its own. */
function configFlags(): readonly Option[] {
  const nearest = "the nearest toolpacks.config.{jsonc,json,yaml,toml}, found upward";
  return [
    setting(new Option("--config <file>", "config file"), nearest, "CONFIG"),
    new Option("--trust", "apply the whole config file even if it is not trusted (for CI)"),
  ];
}

function storeFlag(what: string): Option {
  const option = new Option("--store <address>", `${what}: ${shortAddressFormats}`);
  return setting(option, "a file in the user's data folder", "STORE");
}

const variableNote = "[$…] after a flag is its variable; other flags have none.\nMore: toolpacks help serve";

const facetFlag = new Option("--facet <name>", "mount only this pack and list its tools directly");
const exposeFlag = flag("--expose <facets>", "facets whose tools are listed, such as core,filesystem", splitNames);
const denyFlag = flag("--deny <names>", "facets and tools that are not listed, found or called", splitNames);
const surfaceFlag = new Option("--surface <name>", "how tools are listed").choices([...surfaceNames]);
const rootFlag = flag("--root <dir>", "folder whose files the tools may access (repeatable)", collect);
const workspaceFlag = new Option("--workspace <id>", "workspace of the records");
const resultsFlag = new Option("--results <form>", "form of results").choices([...resultsModes]);
const logFlag = new Option("--log-level <level>", "minimum level of the log on stderr").choices([...logLevels]);

/** The flags that decide what is mounted. */
export const mountFlags: SharedFlags = {
  title: "What is mounted:",
  note: variableNote,
  flags: [
    ...configFlags(),
    setting(exposeFlag, "core", "EXPOSE"),
    setting(denyFlag, "nothing"),
    setting(surfaceFlag, "discovery", "SURFACE"),
    setting(facetFlag, "every pack that can run"),
    setting(rootFlag, "the current project; serve asks the client", "ROOTS"),
    storeFlag("store of the records"),
    setting(workspaceFlag, "the workspace of the first root", "WORKSPACE"),
    new Option("--write", "enable the tools that change files"),
    new Option("--read-only", "refuse all tools that change anything"),
    setting(resultsFlag, "text; both with --surface direct"),
    setting(logFlag, "info for serve, error for other commands", "LOG_LEVEL"),
  ],
};

/** The flags that select the store. */
export const storeFlags: SharedFlags = {
  title: "Config and store:",
  note: variableNote,
  flags: [...configFlags(), storeFlag("store")],
};

export const jsonFlag = new Option("--json", "print JSON");

/** The flag of each command that calls tools. */
export const urlFlag = new Option("--url <address>", "call the tools of this running serve --http [$TOOLPACKS_URL]");

/** Reads one folder as the list of roots. */
export function oneRoot(directory: string): readonly string[] {
  return [directory];
}
