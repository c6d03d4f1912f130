import { nearest, ToolError } from "@toolpacks/core";
import type { QueryProblem } from "./query-task.ts";

const maxColumnsLength = 1_500;

/** The error for a problem of SQLite. It names the columns, so that the next query can be right. */
export function describeProblem({ problem, hint, columns, source }: QueryProblem, sql: string): ToolError {
  if (columns === undefined) return new ToolError("invalid_input", `query: ${problem}`, hint);
  const text = /^no such column: "(.*)" - should this be a string literal/s.exec(problem)?.[1];
  const unknown = text ?? /^no such column: (.+)$/s.exec(problem)?.[1];
  const table = `Columns of t (${source}): ${list(columns)}`;
  if (unknown !== undefined) {
    const name = unknown.replace(/^t\./i, "");
    const guess = guessColumn(name, columns) ?? (text === undefined ? "" : `a text has single quotes: '${name}'`);
    return new ToolError("invalid_input", `query: no such column "${name}"${guess && ` (${guess})`}`, table);
  }
  const missing = /^no such table: (.+)$/s.exec(problem)?.[1];
  if (missing !== undefined)
    return new ToolError("invalid_input", `query: no such table "${missing}": the table is t`, table);
  if (problem === "not authorized") {
    return new ToolError("invalid_input", "query: only reading is allowed: one SELECT over t", table);
  }
  if (problem.includes("database or disk is full") || problem.includes("too big")) {
    return new ToolError("too_large", `query: ${problem}`, "Query a part of the value, or use grep, lines or pick.");
  }
  const near = /^near "(.*)": syntax error$/s.exec(problem)?.[1];
  const quote = near !== undefined && columns.includes(near) ? ` Quote the name: "${near}".` : "";
  return new ToolError("invalid_input", `query: ${problem}${sql.trim() === "" ? ": no statement" : ""}`, table + quote);
}

function guessColumn(name: string, columns: readonly string[]): string | undefined {
  const [owner = "", ...path] = name.split(".");
  const isJson = path.length > 0 && columns.some((one) => one.toLowerCase() === owner.toLowerCase());
  if (isJson) return `did you mean ${owner}->>'$.${path.join(".")}'?`;
  const [similar] = nearest(name, columns);
  return similar === undefined ? undefined : `did you mean "${similar}"?`;
}

function list(columns: readonly string[]): string {
  let text = "";
  for (const [at, column] of columns.entries()) {
    if (text.length + column.length > maxColumnsLength) return `${text} and ${columns.length - at} more`;
    text += `${at === 0 ? "" : ", "}${column}`;
  }
  return text;
}
