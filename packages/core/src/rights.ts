import type { Failure } from "./tool-error.ts";
import type { Tool } from "./tool.ts";

/** What may be used of a catalog. Default: everything. */
export interface Rights {
  /** Facets and tool names that the server's configuration denies. A call of one fails with `denied`, and the hint says what allows it. */
  readonly deny?: readonly string[];
  /** The server's configuration refuses every tool that mutates. Default false. */
  readonly readOnly?: boolean;
  /** What the caller's token grants. A tool beyond it is as unknown as one that does not exist. Default: everything. */
  readonly grant?: Grant;
}

/** What a token grants: the tools of the named facets, and the named tools. With neither list, every tool. */
export interface Grant {
  /** Facets that are granted whole: tools, record kinds, step types, prompts and resources. */
  readonly facets?: readonly string[];
  /** Names of single tools. */
  readonly tools?: readonly string[];
  /** Grants only tools that do not mutate. Default false. */
  readonly readOnly?: boolean;
}

/** Whether the rights leave anything out. */
export function isRestricted({ deny = [], readOnly = false, grant }: Rights): boolean {
  return deny.length > 0 || readOnly || grant !== undefined;
}

/** The same text for the same rights. */
export function rightsKey({ deny = [], readOnly = false, grant }: Rights): string {
  const { facets, tools, readOnly: onlyReads = false } = grant ?? {};
  const granted = grant && [facets?.toSorted() ?? null, tools?.toSorted() ?? null, onlyReads];
  return JSON.stringify([deny.toSorted(), readOnly, granted ?? null]);
}

/** Whether the token grants everything of the facet. */
export function isGrantedWhole(facet: string, { facets, tools }: Grant): boolean {
  return facets === undefined ? tools === undefined : facets.includes(facet);
}

/** Whether the caller's token grants a tool that does not exist here. `facet` is the pack that knows of it, if there is one. */
export function isNameGranted(name: string, facet: string | undefined, { grant }: Rights): boolean {
  if (grant === undefined) return true;
  if (grant.tools?.includes(name) === true) return true;
  return facet === undefined ? grant.facets === undefined && grant.tools === undefined : isGrantedWhole(facet, grant);
}

/** The failure for something that changes things on a read-only server. */
export function readOnlyRefusal(name: string): Failure {
  return {
    code: "denied",
    message: `${name} changes things, and this server is read-only`,
    hint: "The user can allow it: start the server without --read-only.",
  };
}

/** The name and the aliases of a tool. */
export function namesOf({ name, aliases }: Tool): readonly string[] {
  return [name, ...aliases];
}
