import { randomUUID } from "node:crypto";
import { open, unlink, type FileHandle } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** A file that is gone from its folder before anybody else can open it; its descriptor is all that is left. The caller closes it. */
export async function unnamedFile(text: string): Promise<FileHandle> {
  const name = path.join(tmpdir(), `toolpacks-${randomUUID()}`);
  const file = await open(name, "wx+", 0o600);
  try {
    await unlink(name);
    // At a position, so that whoever shares the descriptor reads from the start.
    await file.write(text, 0);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}
