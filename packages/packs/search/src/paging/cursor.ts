import { createHash } from "node:crypto";
import { ToolError } from "@toolpacks/core";

export interface Position {
  /** The index of the target. */
  readonly target: number;
  /** The last path shown. */
  readonly path: string;
  /** Number of shown hits of this path, or of its hits in a list by count. */
  readonly shown: number;
}

/**
 * Creates a short cursor: the search's mark, the position's numbers, and the path as it is shown above.
 *
 * @param searchKey the arguments that must be the same for the next page
 */
export function makeCursor(searchKey: unknown, { target, path, shown }: Position): string {
  return [markOf(searchKey), target, shown, escapePath(path)].join(".");
}

/** @throws ToolError `invalid_input` if the cursor is malformed, or belongs to another search */
export function openCursor(searchKey: unknown, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const parsed = parse(cursor);
  if (parsed === undefined) {
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  }
  if (parsed.mark !== markOf(searchKey)) {
    throw new ToolError(
      "invalid_input",
      "cursor: it belongs to another search",
      "Pass it back with the same arguments, or leave it out to begin.",
    );
  }
  return parsed.position;
}

export function isCursorOf(searchKey: unknown, cursor: string): boolean {
  return parse(cursor)?.mark === markOf(searchKey);
}

const cursorPattern = /^(?<mark>[\w-]{6})\.(?<target>\d{1,9})\.(?<shown>\d{1,9})\.(?<escaped>.*)$/s;

function parse(cursor: string): { readonly mark: string; readonly position: Position } | undefined {
  const { mark = "", target, shown, escaped = "" } = cursorPattern.exec(cursor)?.groups ?? {};
  if (mark === "") return undefined;
  try {
    return { mark, position: { target: Number(target), path: decodeURIComponent(escaped), shown: Number(shown) } };
  } catch {
    return undefined;
  }
}

/** Escapes a path, because a name may have characters that hide or fake text. */
function escapePath(path: string): string {
  return path.split("/").map(encodeURIComponent).join("/");
}

function markOf(searchKey: unknown): string {
  return createHash("sha1").update(JSON.stringify(searchKey)).digest("base64url").slice(0, 6);
}
