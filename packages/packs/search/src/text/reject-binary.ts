import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { ToolError, quoteName } from "@toolpacks/core";
import type { Target } from "../target.ts";

const byteOrderMarks = new Set(["\xff\xfe", "\xfe\xff"]);
const readBytes = 1024 * 1024;
/** Maximum number of bytes to check for a NUL. */
const maxCheckedBytes = 64 * 1024 * 1024;

/** Rejects a binary file that the caller named, so that an empty result is not misleading. In a tree, binary files are skipped. */
export async function rejectBinary(target: Target, signal: AbortSignal): Promise<void> {
  const { file } = target;
  if (file === undefined) return;
  const part = Buffer.alloc(readBytes);
  for (let at = 0; at < maxCheckedBytes;) {
    // Read at a position, so that the file offset stays 0 for ripgrep.
    const length = readSync(file.descriptor, part, 0, readBytes, at);
    if (length === 0 || (at === 0 && byteOrderMarks.has(part.toString("latin1", 0, 2)))) return;
    if (part.subarray(0, length).includes(0)) break;
    at += length;
    await setImmediate();
    signal.throwIfAborted();
    if (at >= maxCheckedBytes) return;
  }
  throw new ToolError("invalid_input", `${quoteName(file.shown)}: expected text, this is a binary file`);
}
