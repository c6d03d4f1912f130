import { randomUUID } from "node:crypto";
import { open, unlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** An open file with rules for ripgrep. Its creator closes it. */
export interface RuleFile {
  readonly fd: number;
  /** The path by which ripgrep opens it. Undefined: it has no name, and ripgrep inherits the descriptor. */
  readonly path: string | undefined;
  close(): Promise<void>;
}

/**
 * Writes a temporary file that only this user can read. It has no name, so that no other process can change it and none is left when this process is
 * killed. On Windows a program can open a file only by its name.
 */
export async function writeRuleFile(text: string, platform = process.platform): Promise<RuleFile> {
  const name = path.join(tmpdir(), `toolpacks-${randomUUID()}`);
  const file = await open(name, "wx+", 0o600);
  const isNamed = platform === "win32";
  const close = async () => {
    await file.close();
    if (isNamed) await unlink(name);
  };
  try {
    if (!isNamed) await unlink(name);
    // Write at a position, so that the file offset stays 0 for the child process.
    await file.write(text, 0);
    return { fd: file.fd, path: isNamed ? name : undefined, close };
  } catch (error) {
    await close();
    throw error;
  }
}
