import type { Command } from "commander";
import type { SearchFlags } from "../commands/search.ts";
import type { SkillFlags } from "../commands/skill.ts";
import type { Flags } from "../config/settings.ts";
import { addMountFlags, parseCount } from "./flags.ts";

/** Adds the commands that show and call tools. */
export function addToolCommands(program: Command): void {
  addMountFlags(program.command("tools").description("list the mounted tools by facet"))
    .option("--json", "print JSON")
    .action(async (flags: Flags & { json?: boolean }) => (await import("../commands/tools.ts")).tools(flags));

  addMountFlags(
    program.command("budget").description("show the tokens of each tool, pack and surface, and the budgets"),
  )
    .option("--check", "exit with code 1 if a pack or surface exceeds its budget")
    .option("--json", "print JSON")
    .action(async (flags: Flags & { check?: boolean; json?: boolean }) =>
      (await import("../commands/budget.ts")).budget(flags),
    );

  addMountFlags(program.command("call").description("call one tool and print its result"))
    .argument("<tool>", "name of the tool")
    .argument("[args...]", "arguments of the tool: path=README.md, limit:=5, JSON, @file, or - for stdin")
    .option("--json", "print the structured result as JSON")
    .action(async (tool: string, words: readonly string[], flags: Flags & { json?: boolean }) =>
      (await import("../commands/call.ts")).call({ tool, words }, flags),
    );

  addMountFlags(program.command("search").description("rank tools for a sentence, as tool_search does"))
    .argument("[sentence]", "one action that a tool should do, in plain words")
    .option("--catalog <file>", "rank the tools in a JSON or JSONL file: {name, description, inputSchema?, pack?}")
    .option("--queries <file>", "answer each {query} of a JSONL file")
    .option("--limit <count>", "maximum number of tools per sentence", parseCount, 10)
    .option("--json", "print one JSON line per sentence: {query, names, ms}")
    .action(async (sentence: string | undefined, flags: Flags & SearchFlags) =>
      (await import("../commands/search.ts")).search(sentence, flags),
    );

  const warm = program.command("warm").description("list or end the servers that keep commands fast");
  warm
    .command("list")
    .description("list the warm servers")
    .option("--json", "print JSON")
    .action(async (flags: { json?: boolean }) => (await import("../commands/warm.ts")).warm("list", flags));
  warm
    .command("stop")
    .description("end the warm servers after their running calls")
    .option("--json", "print JSON")
    .action(async (flags: { json?: boolean }) => (await import("../commands/warm.ts")).warm("stop", flags));
  warm
    .command("run", { hidden: true })
    .description("answer the requests of commands; started by them")
    .action(async () => (await import("../warm/warm-server.ts")).runWarmServer());

  addMountFlags(
    program.command("skill").description("write Agent Skills, from which agents with a shell learn to call the tools"),
  )
    .argument("[pack]", "write the skill of this pack only")
    .option("--to <folder>", "folder of the skills (default: .claude/skills if there is a .claude, else stdout)")
    .option("--force", "overwrite skills that were changed")
    .action(async (pack: string | undefined, flags: Flags & SkillFlags) =>
      (await import("../commands/skill.ts")).skill(pack, flags),
    );
}
