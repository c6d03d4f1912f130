import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Creates a file and unlinks it at once, so that it is reachable only through its descriptor. The caller closes it. */
export async function unnamedFile(text: string): Promise<FileHandle> {
  const name = path.join(tmpdir(), `toolpacks-${randomUUID()}`);
  const file = await open(name, "wx+", 0o600);
  try {
    await unlink(name);
    // Write at a position, so that the file offset stays 0 for the child process.
    await file.write(text, 0);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
