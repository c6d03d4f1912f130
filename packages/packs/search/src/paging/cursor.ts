import { createHash } from "node:crypto";
import { ToolError } from "@toolpacks/core";
import { z } from "zod";

/** Where a page ended. */
const positionSchema = z.tuple([z.int().min(0), z.string(), z.int().min(0)]);

export interface Position {
  /** The index of the target. */
  readonly target: number;
  /** The last path shown. */
  readonly path: string;
  /** How many hits of it were shown. */
  readonly shown: number;
}

/** @param asked what must be the same on the next page */
export function makeCursor(asked: unknown, { target, path, shown }: Position): string {
  return Buffer.from(JSON.stringify([mark(asked), [target, path, shown]])).toString("base64url");
}

/** @throws ToolError `invalid_input` when it is no cursor, or that of another search */
export function openCursor(asked: unknown, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const parsed = parse(cursor);
  const position = Array.isArray(parsed) ? positionSchema.safeParse(parsed[1]).data : undefined;
  if (position === undefined || !Array.isArray(parsed)) {
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  }
  if (parsed[0] !== mark(asked)) {
    throw new ToolError(
      "invalid_input",
      "cursor: it belongs to another search",
      "Pass it back with the same arguments, or leave it out to begin.",
    );
  }
  const [target, path, shown] = position;
  return { target, path, shown };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown;
  } catch {
    return undefined;
  }
}

function mark(asked: unknown): string {
  return createHash("sha1").update(JSON.stringify(asked)).digest("base64url").slice(0, 6);
}
