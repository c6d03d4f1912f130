import { hash } from "node:crypto";
import { ToolError, canonicalJson, type Query } from "@toolpacks/core";
import type { QueryPlan } from "./driver.ts";

/** A query with its kind and workspaces. */
export interface ScopedQuery {
  readonly kind: string;
  readonly workspaces: QueryPlan["workspaces"];
  readonly query: Query;
}

/** Encodes a cursor: a digest of its query, and the position after the last page. */
export function encodeCursor(of: ScopedQuery, resume: unknown): string {
  return Buffer.from(JSON.stringify([queryDigest(of), resume])).toString("base64url");
}

/** Decodes a cursor to the position after the last page. @throws ToolError `invalid_input` when it is invalid or belongs to another query */
export function decodeCursor(cursor: string, of: ScopedQuery): unknown {
  const parsed = parse(cursor);
  if (!Array.isArray(parsed) || parsed.length !== 2) {
    throw new ToolError("invalid_input", "cursor: expected one that an earlier page gave", "Leave it out to begin.");
  }
  if (parsed[0] !== queryDigest(of)) {
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

/** A digest of the parts of a query that decide about records and order. Limit and fields may change from page to page. */
function queryDigest({ kind, workspaces, query }: ScopedQuery): string {
  const { filter, text, match, near, minSimilarity, sort, includeClosed, sinceGeneration, caller } = query;
  const meant = [near, minSimilarity];
  const order = [kind, workspaces, filter, text, match, meant, sort, includeClosed, sinceGeneration, caller];
  return hash("sha1", canonicalJson(order), "base64url").slice(0, 6);
}
