import { ToolError } from "@toolpacks/core";
import pLimit from "p-limit";
import type { FileChange } from "./file-identity.ts";
import { checkChangedSchema } from "./migrations.ts";
import { closeWithDeletedLog, closeReplaced, openFile, type OpenedFile } from "./opened-file.ts";

/**
 * The file at a path. If the open file is replaced, the new file is opened. If this could lose an acknowledged write, reads and writes are rejected.
 */
export interface CurrentFile {
  /** @throws ToolError `unavailable` */
  read<T>(work: (file: OpenedFile) => T | Promise<T>): Promise<T>;
  /**
   * Runs a write. Only one runs at a time. Rejects if the file was no longer at the path when the write was committed.
   *
   * @throws ToolError `unavailable`
   */
  write<T>(work: (file: OpenedFile) => Promise<T>): Promise<T>;
  /** Waits for running writes, and closes the file. */
  end(): Promise<void>;
}

/** @param onReopen called with each file that is opened in place of another */
export async function openCurrentFile(
  file: string,
  busyTimeoutMs: number,
  onReopen: (file: OpenedFile) => Promise<void>,
): Promise<CurrentFile> {
  const queue = pLimit(1);
  let current: OpenedFile | undefined = await openFile(file, busyTimeoutMs);
  /** Set permanently when this process can no longer read and write safely. */
  let lost: ToolError | undefined;

  const refuse = (change: FileChange) => {
    const error = unavailable(file, change);
    if (change !== "deleted") lost = error;
    return error;
  };
  const reopen = async (replaced: OpenedFile, change: FileChange) => {
    if (change === "replaced") await closeReplaced(replaced);
    else if (change !== "log-deleted" || !closeWithDeletedLog(replaced)) throw refuse(change);
    current = undefined;
    const found = await openFile(file, busyTimeoutMs);
    await onReopen(found);
    current = found;
    return found;
  };

  const currentFile = async (): Promise<OpenedFile> => {
    if (lost !== undefined) throw lost;
    // An earlier attempt to open the new file failed.
    if (current === undefined) {
      const found = await openFile(file, busyTimeoutMs);
      await onReopen(found);
      return (current = found);
    }
    const change = await current.identity.change();
    return change === undefined ? current : reopen(current, change);
  };
  return {
    async read(readWork) {
      const work = (opened: OpenedFile) => {
        checkChangedSchema(opened.reading);
        return readWork(opened);
      };
      if (lost === undefined && current?.identity.isAtPath() === true) return work(current);
      // A read inside a transaction would wait for that transaction to end.
      if (queue.activeCount > 0) throw lost ?? unavailable(file, (await current?.identity.change()) ?? "replaced");
      return work(await queue(currentFile));
    },
    write: (work) =>
      queue(async () => {
        const used = await currentFile();
        const result = await work(used);
        const change = await used.identity.change();
        if (change === undefined) return result;
        throw notAcknowledged(file, change);
      }),
    end: () =>
      queue(() => {
        current?.close();
        current = undefined;
      }),
  };
}

const changeTexts: Readonly<Record<FileChange, string>> = {
  deleted: "was deleted while it was open",
  replaced: "was replaced while it was open",
  overwritten: "was overwritten or truncated while it was open",
  "log-deleted": "lost its -wal or -shm file while several programs had it open",
  "log-replaced": "got another -wal or -shm file while it was open",
};

const changeHints: Readonly<Record<FileChange, string>> = {
  deleted: "Put the file back, or restart this program to begin an empty store.",
  replaced: "Try again.",
  overwritten:
    "Stop every program that uses the store, delete its -wal and -shm files, restore the backup again, and start.",
  "log-deleted": "What was written before is in the file. Stop every program that uses the store, and start again.",
  "log-replaced": "Stop every program that uses the store, run `toolpacks doctor`, and start again.",
};

function unavailable(file: string, change: FileChange): ToolError {
  return new ToolError("unavailable", `the store: the file ${file} ${changeTexts[change]}`, changeHints[change]);
}

function notAcknowledged(file: string, change: FileChange): ToolError {
  const hint = `This write is not in the file that is there now. ${changeHints[change]}`;
  return new ToolError("unavailable", `the store: the file ${file} ${changeTexts[change]}`, hint);
}
