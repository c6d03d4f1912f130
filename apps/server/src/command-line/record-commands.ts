import type { Command } from "commander";
import type { WorkspacesFlags } from "../commands/workspaces.ts";
import type { Flags } from "../config/settings.ts";
import { addStoreFlags } from "./flags.ts";

/** Adds the commands that show and change records. */
export function addRecordCommands(program: Command): void {
  const issues = program.command("issues").description("import and show the issues of a project");

  addIssueFlags(issues.command("import").description("import issues from the JSONL of beads"))
    .argument("<file>", "path of the file; - for stdin")
    .option("--strict", "import nothing if a line is invalid")
    .action(async (file: string, flags: Flags & { strict?: boolean }) =>
      (await import("../commands/issues-import.ts")).importIssueFile(file, flags),
    );

  addIssueFlags(issues.command("board").description("show ready, in-progress, blocked and recently closed issues"))
    .option("--watch", "update the board after every change")
    .action(async (flags: Flags) => (await import("../commands/issues-board.ts")).showBoard(flags));

  const workspaces = program.command("workspaces").description("list, rename and join workspaces");

  addWorkspaceFlags(
    workspaces
      .command("list", { isDefault: true })
      .description("list the workspaces of the store and of this machine's folders"),
  )
    // The program refuses an operand with the nearest command.
    .allowExcessArguments()
    .option("--root <dir>", "mark the workspace of this folder (default: the current folder)", (dir: string) => [dir])
    .action(async (flags: WorkspacesFlags) => (await import("../commands/workspaces.ts")).listWorkspaces(flags));

  addWorkspaceFlags(workspaces.command("rename").description("change the name of a workspace; its id stays"))
    .argument("<workspace>", "id of the workspace, or its name if no other workspace has this name")
    .argument("<name>", "the new name")
    .action(async (named: string, name: string, flags: WorkspacesFlags) =>
      (await import("../commands/workspaces.ts")).renameWorkspace({ named, name }, flags),
    );

  addWorkspaceFlags(workspaces.command("join").description("let a folder use another workspace; records are not moved"))
    .argument("<workspace>", "id of the workspace, or its name if no other workspace has this name")
    .argument("[dir]", "folder (default: the current folder)")
    .action(async (named: string, directory: string | undefined, flags: WorkspacesFlags) =>
      (await import("../commands/workspaces.ts")).joinWorkspace({ named, directory }, flags),
    );
}

/** Adds the flags of the workspace commands. */
function addWorkspaceFlags(command: Command): Command {
  return addStoreFlags(command).option("--json", "print JSON");
}

/** Adds the flags that select the issues of a project. */
function addIssueFlags(command: Command): Command {
  return addStoreFlags(command)
    .option("--root <dir>", "folder of the project", (dir: string) => [dir])
    .option("--workspace <id>", "workspace of the issues (default: the workspace of the root)");
}
