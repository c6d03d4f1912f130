import type { Command } from "commander";
import type { IssueListFlags } from "../commands/issues-list.ts";
import type { Flags } from "../config/settings.ts";
import { collect, parseCount } from "./flags.ts";
import { addProjectFlags, parseWhole } from "./record-flags.ts";

/** Adds the commands that show and change issues. */
export function addIssueCommands(program: Command): void {
  const issues = program.command("issues").description("list, show, create, close and import the issues of a project");

  addProjectFlags(issues.command("list").description("list issues; closed ones only by --status"))
    .option("--status <name>", "open, in_progress, blocked, deferred, closed or all (repeatable)", collect)
    .option("--type <name>", "bug, feature, task, epic or chore (repeatable)", collect)
    .option("--priority <number>", "0 to 4, 0 is the most urgent (repeatable)", collectNumbers)
    .option("--assignee <name>", "a name; none: issues without an assignee; any (repeatable)", collect)
    .option("--label <name>", "issues with this label (repeatable)", collect)
    .option("--parent <id>", "issues of this epic")
    .option("--text <words>", "words that all occur in the issue")
    .option(
      "--sort <order>",
      "priority, oldest, newest, updated, stale, closed, blocks, blockers, status, type or assignee",
    )
    .option("--limit <count>", "maximum number of issues", parseCount, 50)
    .option("--json", "print JSON")
    .action(async (flags: IssueListFlags) => (await import("../commands/issues-list.ts")).listIssues(flags));

  addProjectFlags(issues.command("board").description("show ready, in-progress, blocked and recently closed issues"))
    .option("--watch", "update the board after every change")
    .action(async (flags: Flags) => (await import("../commands/issues-board.ts")).showBoard(flags));

  addProjectFlags(issues.command("import").description("import issues from the JSONL of beads"))
    .argument("<file>", "path of the file; - for stdin")
    .option("--strict", "import nothing if a line is invalid")
    .action(async (file: string, flags: Flags & { strict?: boolean }) =>
      (await import("../commands/issues-import.ts")).importIssueFile(file, flags),
    );
}

function collectNumbers(one: string, all: readonly number[] = []): readonly number[] {
  return [...all, parseWhole(one)];
}
