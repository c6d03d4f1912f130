import type { Command } from "commander";
import type { WorkspacesFlags } from "../commands/workspaces.ts";
import { addBriefCommand } from "./brief-commands.ts";
import { addStoreFlags } from "./flags.ts";
import { addIssueCommands } from "./issue-commands.ts";
import { addMemoryCommands } from "./memory-commands.ts";
import { addTraceCommands } from "./trace-commands.ts";
import { addWorkflowCommands } from "./workflow-commands.ts";

/** Adds the commands that show and change records. */
export function addRecordCommands(program: Command): void {
  addIssueCommands(program);
  addMemoryCommands(program);
  addBriefCommand(program);
  addWorkflowCommands(program);
  addTraceCommands(program);

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
