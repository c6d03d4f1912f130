import { createHash } from "node:crypto";
import { ToolError } from "@toolpacks/core";
import { z } from "zod";

/** The position at which a page ends. */
const positionSchema = z.tuple([z.int().min(0), z.string(), z.int().min(0)]);

export interface Position {
  /** The index of the target. */
  readonly target: number;
  /** The last path shown. */
  readonly path: string;
  /** Number of shown hits of this path. */
  readonly shown: number;
}

/** @param searchKey the arguments that must be the same for the next page */
export function makeCursor(searchKey: unknown, { target, path, shown }: Position): string {
  return Buffer.from(JSON.stringify([mark(searchKey), [target, path, shown]])).toString("base64url");
}

/** @throws ToolError `invalid_input` if the cursor is malformed, or belongs to another search */
export function openCursor(searchKey: unknown, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const parsed = parse(cursor);
  const position = Array.isArray(parsed) ? positionSchema.safeParse(parsed[1]).data : undefined;
  if (position === undefined || !Array.isArray(parsed)) {
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  }
  if (parsed[0] !== mark(searchKey)) {
    throw new ToolError(
      "invalid_input",
      "cursor: it belongs to another search",
      "Pass it back with the same arguments, or leave it out to begin.",
    );
  }
  const [target, path, shown] = position;
  return { target, path, shown };
}

/** Whether a cursor belongs to a search. */
export function isCursorOf(searchKey: unknown, cursor: string): boolean {
  const parsed = parse(cursor);
  return Array.isArray(parsed) && parsed[0] === mark(searchKey);
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown;
  } catch {
    return undefined;
  }
}

function mark(searchKey: unknown): string {
  return createHash("sha1").update(JSON.stringify(searchKey)).digest("base64url").slice(0, 6);
}
