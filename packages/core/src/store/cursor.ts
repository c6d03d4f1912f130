import { createHash } from "node:crypto";
import { ToolError } from "../tool-error.ts";
import type { Query } from "./query.ts";

/** A cursor: a mark of the query that it belongs to, and where the page before ended. */
export function makeCursor(query: Query, resume: unknown): string {
  return Buffer.from(JSON.stringify([mark(query), resume])).toString("base64url");
}

/** @throws ToolError `invalid_input` when it is no cursor, or that of another query */
export function openCursor(cursor: string, query: Query): unknown {
  const parsed = parse(cursor);
  if (!Array.isArray(parsed) || parsed.length !== 2) {
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  }
  if (parsed[0] !== mark(query)) {
    throw new ToolError(
      "invalid_input",
      "cursor: it belongs to another query",
      "Pass it back with the same filter, text and sort, or leave it out to begin.",
    );
  }
  return parsed[1];
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown;
  } catch {
    return undefined;
  }
}

/** What decides which records come in which order; how many and which of their fields may change from page to page. */
function mark({ filter, text, match, sort, includeClosed, sinceGeneration, everyWorkspace }: Query): string {
  const order = [filter, text, match, sort, includeClosed, sinceGeneration, everyWorkspace];
  return createHash("sha1").update(JSON.stringify(order)).digest("base64url").slice(0, 6);
}
