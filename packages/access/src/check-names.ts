import { closest } from "@toolpacks/core";
import type { GrantedNames } from "./access.ts";

/** The names that a grant can have. */
export interface KnownNames {
  readonly facets: readonly string[];
  /** Names of tools, aliases included. */
  readonly tools: readonly string[];
  /** Prefixes of tools whose names are unknown, such as the tools of other servers. */
  readonly toolPrefixes: readonly string[];
  /** Whether there may be other facets and tools, of packs that were not imported. */
  readonly isIncomplete: boolean;
}

/** The names that grant nothing, with similar names: one line each. */
export function checkNames({ facets = [], tools = [] }: GrantedNames, known: KnownNames): readonly string[] {
  if (known.isIncomplete) return [];
  const mayBeTool = (name: string) =>
    known.tools.includes(name) || known.toolPrefixes.some((prefix) => name.startsWith(prefix));
  return [
    ...facets.filter((name) => !known.facets.includes(name)).map((name) => unknown("facet", name, known.facets)),
    ...tools.filter((name) => !mayBeTool(name)).map((name) => unknown("tool", name, known.tools)),
  ];
}

function unknown(noun: "facet" | "tool", name: string, known: readonly string[]): string {
  const near = closest(name, known);
  const suggestion = near === undefined ? "" : ` (did you mean ${JSON.stringify(near)}?)`;
  return `${noun}s: no ${noun} is named ${JSON.stringify(name)}${suggestion}`;
}
