import { readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { ToolError } from "@toolpacks/core";
import { quoteName } from "@toolpacks/core/roots";
import type { Target } from "../target.ts";

const byteOrderMarks = new Set(["\xff\xfe", "\xfe\xff"]);
const readBytes = 1024 * 1024;
/** Beyond this, a file is taken for text. */
const maxLookedAt = 64 * 1024 * 1024;

/** In a tree, binary files are passed over; one that was named is refused, so that nobody takes its silence for an answer. */
export async function refuseBinary(target: Target, signal: AbortSignal): Promise<void> {
  const { input } = target;
  if (input === undefined) return;
  const part = Buffer.alloc(readBytes);
  for (let at = 0; at < maxLookedAt;) {
    // At a position, which leaves the descriptor's own where ripgrep begins to read.
    const length = readSync(input, part, 0, readBytes, at);
    if (length === 0 || (at === 0 && byteOrderMarks.has(part.toString("latin1", 0, 2)))) return;
    if (part.subarray(0, length).includes(0)) break;
    at += length;
    await setImmediate();
    signal.throwIfAborted();
    if (at >= maxLookedAt) return;
  }
  throw new ToolError(
    "invalid_input",
    `${quoteName(target.show(target.argument))}: expected text, this is a binary file`,
  );
}
