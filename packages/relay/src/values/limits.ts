import { ToolError } from "@toolpacks/core";
import type { RelayLimits } from "./relay-values.ts";

const hourMs = 3_600_000;

/** Age after which an unfinished value counts as abandoned. */
export const unfinishedMs = hourMs;

/** Limits in the units of a driver. */
export interface Limits {
  readonly maxAgeMs: number;
  readonly maxBytes: number;
  /** Whether a sweep is due: after a minute, or after a tenth of `maxBytes` was stored. */
  isSweepDue(bytes: number): boolean;
}

const sweepEveryMs = 60_000;

export function createLimits({ maxAgeHours = 24, maxBytes = 256 * 1024 * 1024 }: RelayLimits): Limits {
  let sweptAt = 0;
  let putSince = 0;
  return {
    maxAgeMs: maxAgeHours * hourMs,
    maxBytes,
    isSweepDue(bytes) {
      putSince += bytes;
      const now = performance.now();
      if (sweptAt > 0 && now - sweptAt < sweepEveryMs && putSince < maxBytes / 10) return false;
      sweptAt = now;
      putSince = 0;
      return true;
    },
  };
}

export function checkSize(size: number, { maxBytes }: Limits): void {
  if (size <= maxBytes) return;
  throw new ToolError("too_large", `the value is larger than the ${maxBytes} bytes that are kept of all values`);
}

export function valueNotFound(id: string): ToolError {
  const hint = "Copy handles as they were given, or make the value again.";
  return new ToolError("not_found", `handle: relay://${id} is unknown or has expired`, hint);
}

/** A stored value, as a sweep sees it. */
export interface Aged {
  readonly size: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The values to remove: expired ones, and the oldest beyond the total size. @param values newest first */
export function overdue<Value extends Aged>(values: readonly Value[], { maxAgeMs, maxBytes }: Limits): Value[] {
  const oldest = Date.now() - maxAgeMs;
  let total = 0;
  return values.filter(({ size, at }) => {
    total += size;
    return at < oldest || total > maxBytes;
  });
}
