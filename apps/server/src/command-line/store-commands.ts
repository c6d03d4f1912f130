import type { Command } from "commander";
import type { ImportFlags } from "../commands/import.ts";
import type { Flags } from "../config/settings.ts";
import { addStoreFlags } from "./flags.ts";

/** Adds the commands that copy the store. */
export function addStoreCommands(program: Command): void {
  addStoreFlags(program.command("backup").description("copy the store to a new file, also while it is in use"))
    .argument("<file>", "path of the new file; it must not exist")
    .action(async (file: string, flags: Flags) => (await import("../commands/backup.ts")).backup(file, flags));

  addStoreFlags(program.command("export").description("write all records of the store as JSON lines"))
    .argument("[file]", "path of the new file; it must not exist; - for stdout (default: stdout)")
    .option("--graph", "export only the knowledge of one workspace, in the format of the official memory server")
    .option("--workspace <id>", "workspace whose knowledge is exported (default: default)")
    .action(async (file: string | undefined, flags: Flags & { graph?: boolean }) =>
      (await import("../commands/export.ts")).exportStore(file, flags),
    );

  addStoreFlags(program.command("import").description("import the JSON lines of an export into the store, all or none"))
    .argument("<file>", "path of the file; - for stdin")
    .option("--graph", "import entities and relations in the format of the official memory server")
    .option("--transcript", "import a session of Claude Code or Codex as an episode, with secrets masked")
    .option("--root <dir>", "folder of the project whose workspace receives the session or graph", (dir: string) => [
      dir,
    ])
    .option("--workspace <id>", "workspace that receives the session or graph (default: the root's, else default)")
    .action(async (file: string, flags: ImportFlags) =>
      (await import("../commands/import.ts")).importStore(file, flags),
    );
}
