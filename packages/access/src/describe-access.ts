import { visibleJson } from "@toolpacks/core";
import type { Access } from "./access.ts";

/** Describes in plain words what a token or a scope grants. */
export function describeAccess({ facets, tools, readOnly = false, roots, workspaces, rate }: Access): string {
  const granted = [...listed("facets", facets), ...listed("tools", tools)];
  if (facets !== undefined && facets.length === 0 && (tools ?? []).length === 0) granted.splice(0, 1, "no tools");
  return [
    ...(granted.length === 0 ? ["all tools"] : granted),
    ...(readOnly ? ["read-only"] : []),
    ...(roots !== undefined && roots.length === 0 ? ["no files"] : listed("roots", roots)),
    ...listed("workspaces", workspaces),
    ...(rate === undefined ? [] : [`${rate.requests} requests per ${rate.seconds} s`]),
  ].join("; ");
}

function listed(what: string, names: readonly string[] | undefined): readonly string[] {
  if (names === undefined || names.length === 0) return [];
  return [`${what} ${names.map((name) => (/^[\w./~-]+$/.test(name) ? name : visibleJson(name))).join(", ")}`];
}
