import { fstatSync, writeFileSync } from "node:fs";
import type { Writable } from "node:stream";
import { ToolError, errorText } from "@toolpacks/core";
import { printableText } from "./printable-text.ts";

/**
 * Writes a text to stdout. Returns false when the caller should wait for `drain` before it writes more.
 *
 * @throws ToolError when stdout is a file or a device that cannot be written to
 */
export function writeStdout(text: string, stdout: Stdout = process.stdout): boolean {
  const { fd } = stdout;
  if (fd === undefined || !isFile(fd, stdout)) return stdout.write(text);
  try {
    // `process.stdout` drops the rest of the text when only a part of it fits on the disk.
    writeFileSync(fd, text);
  } catch (error) {
    throw stdoutError(error);
  }
  return true;
}

/** Ends the process when stdout cannot be written to: with exit code 1 and a message, or silently when its reader has closed the pipe, as `head` does. */
export function exitOnStdoutError(program: string): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") process.exit();
    const { code, message } = stdoutError(error);
    process.stderr.write(`${program}: ${code}: ${printableText(message, Infinity)}\n`);
    process.exit(1);
  });
}

type Stdout = Writable & { readonly fd?: number; readonly isTTY?: boolean };

function isFile(fd: number, { isTTY }: Stdout): boolean {
  try {
    const found = fstatSync(fd);
    return found.isFile() || (found.isCharacterDevice() && isTTY !== true);
  } catch {
    // Windows does not describe every kind of output.
    return false;
  }
}

/** The error of a stdout that cannot be written to. */
export function stdoutError(error: unknown): ToolError {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  const reason = errorText(error);
  return new ToolError(
    "unavailable",
    `stdout: ${code === "ENOSPC" || code === "EDQUOT" ? "the disk is full" : reason}; the output is not complete`,
  );
}
