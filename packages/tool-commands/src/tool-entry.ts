import { plainCommand, type CommandEntry } from "@toolpacks/command-line";
import type { JsonSchema } from "@toolpacks/core";
import type { Io } from "@toolpacks/terminal";
import type { CommandTool } from "./command-tool.ts";
import { fieldsOf, flagsOf, kebab, positionalFields, type SchemaField } from "./schema-flags.ts";
import type { ToolFlags, ToolProgram } from "./tool-program.ts";

/** The command of a tool, as its help shows it. The name of the tool is that of the command. */
export function toolEntry(program: ToolProgram, tool: CommandTool, input: JsonSchema) {
  const taken = [...program.mountFlags.flags, ...program.callFlags].map((option) => option.name());
  const fields = fieldsOf(input, [...taken, "help"]);
  const entry: CommandEntry = {
    name: tool.name,
    summary: tool.description,
    operands: [["[words...]", ""]],
    flags: [...flagsOf(fields), ...program.callFlags],
    shared: program.mountFlags,
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
export function takeOwnFlags(io: Io, program: ToolProgram, words: readonly string[]) {
  const command = plainCommand(io, program.program.name).allowUnknownOption();
  for (const option of [...program.mountFlags.flags, ...program.callFlags]) command.addOption(option);
  const end = words.indexOf("--");
  const { operands, unknown } = command.parseOptions(words.slice(0, end < 0 ? undefined : end));
  return {
    flags: command.opts<ToolFlags>(),
    rest: [...operands, ...unknown, ...(end < 0 ? [] : words.slice(end))],
  };
}
