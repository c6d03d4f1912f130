import { ToolError } from "@toolpacks/core";
import pLimit from "p-limit";
import type { FileChange } from "./file-identity.ts";
import { leaveDeletedLog, leaveReplaced, openFile, type OpenedFile } from "./opened-file.ts";

/**
 * The file that is at a path now. A file that takes the place of an open one is opened in its stead; where that could lose a write that was
 * acknowledged, reads and writes are refused.
 */
export interface CurrentFile {
  /** @throws ToolError `unavailable` */
  read<T>(work: (file: OpenedFile) => T | Promise<T>): Promise<T>;
  /**
   * Runs one write after the other. Rejects when the file was not at the path any more by the time the write was committed.
   *
   * @throws ToolError `unavailable`
   */
  write<T>(work: (file: OpenedFile) => Promise<T>): Promise<T>;
  /** Waits for writes, and closes the file. */
  end(): Promise<void>;
}

/** @param opened called with each file that is opened in place of another */
export async function openCurrentFile(
  file: string,
  busyTimeoutMs: number,
  opened: (file: OpenedFile) => Promise<void>,
): Promise<CurrentFile> {
  const turn = pLimit(1);
  let current: OpenedFile | undefined = await openFile(file, busyTimeoutMs);
  /** Set for good where this process can neither read nor write safely any more. */
  let lost: ToolError | undefined;

  const refuse = (change: FileChange) => {
    const error = unavailable(file, change);
    if (change !== "deleted") lost = error;
    return error;
  };
  const reopen = async (left: OpenedFile, change: FileChange) => {
    if (change === "replaced") await leaveReplaced(left);
    else if (change !== "log-deleted" || !leaveDeletedLog(left)) throw refuse(change);
    current = undefined;
    const found = await openFile(file, busyTimeoutMs);
    await opened(found);
    current = found;
    return found;
  };
  /** In a turn, so that no transaction runs on the connections that are closed. */
  const settle = async (): Promise<OpenedFile> => {
    if (lost !== undefined) throw lost;
    // An attempt to open the file that took the place of the last one has failed.
    if (current === undefined) {
      const found = await openFile(file, busyTimeoutMs);
      await opened(found);
      return (current = found);
    }
    const change = await current.identity.change();
    return change === undefined ? current : reopen(current, change);
  };
  return {
    async read(work) {
      if (lost === undefined && current?.identity.isAtPath() === true) return work(current);
      // A read inside a transaction would wait for that transaction's turn to end.
      if (turn.activeCount > 0) throw lost ?? unavailable(file, (await current?.identity.change()) ?? "replaced");
      return work(await turn(settle));
    },
    write: (work) =>
      turn(async () => {
        const used = await settle();
        const result = await work(used);
        const change = await used.identity.change();
        if (change === undefined) return result;
        throw notAcknowledged(file, change);
      }),
    end: () =>
      turn(() => {
        current?.close();
        current = undefined;
      }),
  };
}

const happened: Readonly<Record<FileChange, string>> = {
  deleted: "was deleted while it was open",
  replaced: "was replaced while it was open",
  overwritten: "was overwritten or truncated while it was open",
  "log-deleted": "lost its -wal or -shm file while several programs had it open",
  "log-replaced": "got another -wal or -shm file while it was open",
};

const remedies: Readonly<Record<FileChange, string>> = {
  deleted: "Put the file back, or restart this program to begin an empty store.",
  replaced: "Try again.",
  overwritten:
    "Stop every program that uses the store, delete its -wal and -shm files, restore the backup again, and start.",
  "log-deleted": "What was written before is in the file. Stop every program that uses the store, and start again.",
  "log-replaced": "Stop every program that uses the store, run `toolpacks doctor`, and start again.",
};

function unavailable(file: string, change: FileChange): ToolError {
  return new ToolError("unavailable", `the store: the file ${file} ${happened[change]}`, remedies[change]);
}

function notAcknowledged(file: string, change: FileChange): ToolError {
  const hint = `This write is not in the file that is there now. ${remedies[change]}`;
  return new ToolError("unavailable", `the store: the file ${file} ${happened[change]}`, hint);
}
