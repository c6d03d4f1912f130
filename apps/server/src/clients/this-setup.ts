import { realpathSync } from "node:fs";
import path from "node:path";
import { thisMachine, type Setup } from "@toolpacks/client-config";
import { userFolders } from "@toolpacks/settings";
import type { Io } from "@toolpacks/terminal";

/** This machine, with this program as the server that clients start. */
export function thisSetup({ cwd, env }: Io): Setup {
  const own = { name: "toolpacks", program: realpathSync(process.argv[1] ?? ""), node: process.execPath };
  return { ...thisMachine(cwd, env), own };
}

/** The file that records changes of clients' files, for the undo. */
export function changeRecord({ env }: Pick<Io, "env">): string {
  return path.join(userFolders("toolpacks", env).data, "client-changes.json");
}
