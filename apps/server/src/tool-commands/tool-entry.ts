import {
  fieldsOf,
  flagsOf,
  kebab,
  positionalFields,
  type SchemaField,
  type CommandTool,
} from "@toolpacks/tool-commands";
import type { Option } from "commander";
import type { JsonSchema } from "@toolpacks/core";
import type { CommandEntry } from "../command-line/command-entry.ts";
import { jsonFlag, mountFlags, urlFlag } from "../command-line/flags.ts";
import { plainCommand } from "../command-line/program.ts";
import type { Io } from "@toolpacks/terminal";
import type { ToolFlags } from "./tool-source.ts";

/** The flags of each command that calls a tool, besides those of the tool. */
const callFlags: readonly Option[] = [jsonFlag, urlFlag];

/** The command of a tool, as its help shows it. The name of the tool is that of the command. */
export function toolEntry(tool: CommandTool, input: JsonSchema) {
  const taken = [...mountFlags.flags, ...callFlags].map((option) => option.name());
  const fields = fieldsOf(input, [...taken, "help"]);
  const entry: CommandEntry = {
    name: tool.name,
    summary: tool.description,
    operands: [["[words...]", ""]],
    flags: [...flagsOf(fields), ...callFlags],
    shared: mountFlags,
    usage: ["[options]", ...positionalFields(fields).map(operandOf), "[key=value...]"].join(" "),
    load: () => Promise.reject(new Error("a tool has no code of its own")),
  };
  return { entry, fields };
}

function operandOf({ path, types, isRequired }: SchemaField): string {
  const name = `${kebab(path.split(".").at(-1) ?? "")}${types.has("array") ? "..." : ""}`;
  return isRequired ? `<${name}>` : `[${name}]`;
}

/** Takes the flags of all tools out of the words. The flags of the tool are known only after it was found. */
export function takeOwnFlags(io: Io, words: readonly string[]) {
  const command = plainCommand(io, "toolpacks").allowUnknownOption();
  for (const option of [...mountFlags.flags, ...callFlags]) command.addOption(option);
  const end = words.indexOf("--");
  const { operands, unknown } = command.parseOptions(words.slice(0, end < 0 ? undefined : end));
  return {
    flags: command.opts<ToolFlags>(),
    rest: [...operands, ...unknown, ...(end < 0 ? [] : words.slice(end))],
  };
}
