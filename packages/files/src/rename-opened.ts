import { rename } from "node:fs/promises";
import { setTimeout as wait } from "node:timers/promises";

/** The errors of Windows for an entry that another program has open. */
const openedCodes = new Set(["EPERM", "EACCES", "EBUSY"]);

/** Times between the attempts, in ms: a second in total. */
const waitsMs = [10, 20, 40, 80, 150, 300, 400];

/**
 * Renames an entry, again after a short time while another program has it open.
 *
 * @param attempt the rename itself. Default: that of the file system.
 * @throws the error of the last attempt, or any other error at once
 */
export async function renameOpened(from: string, to: string, attempt = rename): Promise<void> {
  for (const ms of waitsMs) {
    try {
      return await attempt(from, to);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && openedCodes.has(String(error.code)))) throw error;
      await wait(ms);
    }
  }
  return attempt(from, to);
}
