import { createHash } from "node:crypto";
import { ToolError } from "../tool-error.ts";
import { canonicalJson } from "./canonical-json.ts";
import type { QueryPlan } from "./driver.ts";
import type { Query } from "./query.ts";

/** A query with where it was asked. */
export interface MarkedQuery {
  readonly kind: string;
  readonly workspaces: QueryPlan["workspaces"];
  readonly query: Query;
}

/** A cursor: a mark of the query that it belongs to, and where the page before ended. */
export function makeCursor(of: MarkedQuery, resume: unknown): string {
  return Buffer.from(JSON.stringify([mark(of), resume])).toString("base64url");
}

/** @throws ToolError `invalid_input` when it is no cursor, or that of another query */
export function openCursor(cursor: string, of: MarkedQuery): unknown {
  const parsed = parse(cursor);
  if (!Array.isArray(parsed) || parsed.length !== 2) {
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  }
  if (parsed[0] !== mark(of)) {
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
function mark({ kind, workspaces, query }: MarkedQuery): string {
  const { filter, text, match, sort, includeClosed, sinceGeneration } = query;
  const order = [kind, workspaces, filter, text, match, sort, includeClosed, sinceGeneration];
  return createHash("sha1").update(canonicalJson(order)).digest("base64url").slice(0, 6);
}
