import { realpathSync } from "node:fs";
import path from "node:path";
import { ClientFileError, thisMachine, type Setup } from "@toolpacks/client-config";
import { ConfigurationError } from "../configuration-error.ts";
import { dataFolder } from "../user-folders.ts";

/** This machine, with this program as the server that clients start. */
export function thisSetup(): Setup {
  const own = { name: "toolpacks", program: realpathSync(process.argv[1] ?? ""), node: process.execPath };
  return { ...thisMachine(process.cwd()), own };
}

/** The file that records changes of clients' files, for the undo. */
export function changeRecord(): string {
  return path.join(dataFolder(), "client-changes.json");
}

/** Runs a command that changes clients' files. @throws ConfigurationError for a file that cannot be parsed or edited */
export async function withClientFiles(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    throw error instanceof ClientFileError ? new ConfigurationError(error.message) : error;
  }
}
