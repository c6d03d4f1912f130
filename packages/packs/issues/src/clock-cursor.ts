import { ToolError } from "@toolpacks/core";

/**
 * Splits a cursor into the time of the first page and the store's cursor. All pages of a list use the time of its first page.
 */
export function openClockCursor(cursor: string | undefined): { readonly now: string; readonly cursor?: string } {
  if (cursor === undefined) return { now: new Date().toISOString() };
  const match = /^([0-9a-z]{1,9})\.(.+)$/.exec(cursor);
  const time = Number.parseInt(match?.[1] ?? "", 36);
  if (match?.[2] === undefined || Number.isNaN(new Date(time).getTime()))
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  return { now: new Date(time).toISOString(), cursor: match[2] };
}

export function makeClockCursor(now: string, cursor: string): string {
  return `${Date.parse(now).toString(36)}.${cursor}`;
}
