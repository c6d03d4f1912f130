import { readSync } from "node:fs";
import { ToolError } from "@toolpacks/core";
import { quoteName } from "@toolpacks/core/roots";
import type { Target } from "../target.ts";

const byteOrderMarks = new Set(["\xff\xfe", "\xfe\xff"]);
const readBytes = 64 * 1024;

/** In a tree, binary files are passed over; one that was named is refused, so that nobody takes its silence for an answer. */
export function refuseBinary(target: Target): void {
  const { input } = target;
  if (input === undefined) return;
  const start = Buffer.alloc(readBytes);
  // At a position, which leaves the descriptor's own where ripgrep begins to read.
  const length = readSync(input, start, 0, readBytes, 0);
  const isUtf16 = byteOrderMarks.has(start.toString("latin1", 0, 2));
  if (isUtf16 || !start.subarray(0, length).includes(0)) return;
  throw new ToolError(
    "invalid_input",
    `${quoteName(target.show(target.argument))}: expected text, this is a binary file`,
  );
}
