import type { Command } from "commander";
import type { ModelsFlags } from "../commands/models.ts";
import type { SkillFlags } from "../commands/skill.ts";
import type { Flags } from "../config/settings.ts";
import type { Io } from "../io.ts";
import { addMountFlags, addStoreFlags } from "./flags.ts";
import { addIssueCommands } from "./issue-commands.ts";
import { addMemoryCommands } from "./memory-commands.ts";
import { plainCommand } from "./program.ts";
import { addTraceCommands } from "./trace-commands.ts";
import { unknownCommand } from "./unknown-command.ts";
import { addWorkflowCommands } from "./workflow-commands.ts";

/** Runs a command that still uses the streams of the process. */
export async function runLegacy(io: Io, words: readonly string[]): Promise<number> {
  const program = createLegacyProgram(io);
  const parent = program.commands.find((one) => one.name() === words[0]);
  if (parent === undefined) throw unknownCommand(words);
  if (parent.commands.length > 0 && (words[1] === undefined || words[1].startsWith("-"))) {
    parent.outputHelp({ error: words[1] === undefined });
    return words[1] === undefined ? 2 : 0;
  }
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await program.parseAsync([...words], { from: "user" });
    return (process.exitCode as number | undefined) ?? 0;
  } finally {
    process.exitCode = before;
  }
}

export function createLegacyProgram(io: Io): Command {
  const program = plainCommand(io, "toolpacks");
  addIssueCommands(program);
  addMemoryCommands(program);
  addWorkflowCommands(program);
  addTraceCommands(program);
  addOtherCommands(program);
  for (const one of program.commands) one.copyInheritedSettings(program);
  return program;
}

function addOtherCommands(program: Command): void {
  addStoreFlags(program.command("models").description("list the models with their keys, prices, budgets and use (UTC)"))
    .option("--check", "ask each endpoint if it responds; no model is asked")
    .option("--json", "print JSON")
    .action(async (flags: ModelsFlags) => (await import("../commands/models.ts")).listModels(flags));
  addMountFlags(program.command("skill").description("write Agent Skills for agents with a shell"))
    .argument("[pack]", "write the skill of this pack only")
    .option("--to <folder>", "folder of the skills (default: .claude/skills if there is a .claude, else stdout)")
    .option("--force", "overwrite skills that were changed")
    .action(async (pack: string | undefined, flags: Flags & SkillFlags) =>
      (await import("../commands/skill.ts")).skill(pack, flags),
    );
}
