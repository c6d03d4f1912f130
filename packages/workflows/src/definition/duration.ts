import { ToolError } from "@toolpacks/core";

const unitMs: Readonly<Record<string, number>> = {
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Longest duration: ten years, in ms. */
const maxMs = 3_650 * 86_400_000;

/**
 * The milliseconds of a duration such as `90s`, `15m`, `1h30m`, `3d` or `2w`.
 *
 * @throws ToolError `invalid_input`
 */
export function durationMs(text: string): number {
  const parts = [...text.matchAll(/(\d{1,10}(?:\.\d{1,3})?)([smhdw])/g)];
  const ms = parts.reduce((sum, [, count = "", unit = ""]) => sum + Number(count) * (unitMs[unit] ?? 0), 0);
  const isWhole = parts.map(([part]) => part).join("") === text.trim();
  if (isWhole && parts.length > 0 && ms <= maxMs) return ms;
  throw new ToolError(
    "invalid_input",
    `expected a duration such as 90s, 15m, 1h30m or 3d, received ${JSON.stringify(text.slice(0, 80))}`,
  );
}

const isoTime = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * A time as ISO 8601 in UTC, from a date or a time. A time without an offset is in UTC.
 *
 * @throws ToolError `invalid_input`
 */
export function timeOf(text: string): string {
  const match = isoTime.exec(text.trim());
  const zone = text.includes("T") && match?.[1] === undefined ? "Z" : "";
  const time = match === null ? Number.NaN : Date.parse(`${text.trim()}${zone}`);
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new ToolError(
    "invalid_input",
    `expected a time such as 2027-01-31T09:00:00Z, received ${JSON.stringify(text.slice(0, 80))}`,
  );
}

/** The time of a deadline: a time, or a duration from now. @throws ToolError `invalid_input` */
export function deadlineOf(text: string): string {
  return /^\s*\d{4}-/.test(text) ? timeOf(text) : new Date(Date.now() + durationMs(text)).toISOString();
}
