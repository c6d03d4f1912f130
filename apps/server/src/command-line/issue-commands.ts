import type { Command } from "commander";
import type { BoardFlags } from "../commands/issues-board.ts";
import type { IssueListFlags } from "../commands/issues-list.ts";
import type { IssueCreateFlags } from "../commands/issues-write.ts";
import type { Flags } from "../config/settings.ts";
import { collect, parseCount } from "./flags.ts";
import { addProjectFlags, parseWhole } from "./record-flags.ts";

/** Adds the commands that show and change issues. */
export function addIssueCommands(program: Command): void {
  const issues = program
    .command("issues")
    .description("list, show, create, close, import and synchronize the issues of a project");
  addReadingCommands(issues);
  addWritingCommands(issues);
}

function addReadingCommands(issues: Command): void {
  addProjectFlags(
    issues
      .command("list")
      .description("list issues; closed ones only by --status")
      .option("--status <name>", "open, in_progress, blocked, deferred, closed or all (repeatable)", collect)
      .option("--type <name>", "bug, feature, task, epic, chore or another (repeatable)", collect)
      .option("--priority <number>", "0 to 4, 0 is the most urgent (repeatable)", collectNumbers)
      .option("--assignee <name>", "a name, none or any (repeatable)", collect)
      .option("--label <name>", "only issues with this label (repeatable: any of them)", collect)
      .option("--parent <id>", "only issues of this epic")
      .option("--text <words>", "only issues with all of these words")
      .option(
        "--sort <order>",
        "priority, oldest, newest, updated, stale, closed, blocks, blockers, status, type or assignee",
      )
      .option("--limit <count>", "maximum number of issues", parseCount, 50)
      .option("--json", "print JSON"),
  ).action(async (flags: IssueListFlags) => (await import("../commands/issues-list.ts")).listIssues(flags));

  addProjectFlags(
    issues
      .command("show")
      .description("show whole issues, and why each is ready or not")
      .argument("<ids...>", "ids of the issues")
      .option("--json", "print JSON"),
  ).action(async (ids: readonly string[], flags: Flags & { json?: boolean }) =>
    (await import("../commands/issues-show.ts")).showIssues(ids, flags),
  );

  addProjectFlags(
    issues
      .command("board")
      .description("show ready, in-progress, blocked and recently closed issues, and open gates")
      .option("--watch", "update the board after every change")
      .option("--json", "print JSON"),
  ).action(async (flags: BoardFlags) => (await import("../commands/issues-board.ts")).showBoard(flags));
}

function addWritingCommands(issues: Command): void {
  addProjectFlags(
    issues
      .command("create")
      .description("create an issue")
      .argument("<title>", "one line")
      .option("--description <text>", "what and why")
      .option("--type <name>", "bug, feature, task, epic, chore or another (default: task)")
      .option("--priority <number>", "0 to 4, 0 is the most urgent (default: that of the parent, else 2)", parseWhole)
      .option("--parent <id>", "id of its epic")
      .option("--needs <id>", "id of an issue that must be closed before (repeatable)", collect)
      .option("--label <name>", "label (repeatable)", collect)
      .option("--assignee <name>", "who should do it")
      .option("--json", "print JSON"),
  ).action(async (title: string, flags: IssueCreateFlags) =>
    (await import("../commands/issues-write.ts")).createIssue(title, flags),
  );

  addProjectFlags(
    issues
      .command("close")
      .description("close issues, all or none, and name the issues that this unblocks")
      .argument("<ids...>", "ids of the issues")
      .option("--reason <text>", "what came of it")
      .option("--json", "print JSON"),
  ).action(async (ids: readonly string[], flags: Flags & { reason?: string; json?: boolean }) =>
    (await import("../commands/issues-write.ts")).closeIssues(ids, flags),
  );

  addProjectFlags(
    issues
      .command("answer")
      .description("answer an open gate, which closes it, and name the issues that this unblocks")
      .argument("<id>", "id of the gate")
      .argument("<text>", "the answer")
      .option("--json", "print JSON"),
  ).action(async (id: string, text: string, flags: Flags & { json?: boolean }) =>
    (await import("../commands/issues-write.ts")).answerGate(id, text, flags),
  );

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
