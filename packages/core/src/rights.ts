import type { Failure } from "./tool-error.ts";
import type { CatalogEntry, Tool } from "./tool.ts";

/** What may be used of a catalog. Default: everything. */
export interface Rights {
  /** Facets and tool names that the server's configuration denies. A call of one fails with `denied`, and the hint says what allows it. */
  readonly deny?: readonly string[];
  /** The server's configuration refuses every tool that mutates. Default false. */
  readonly readOnly?: boolean;
  /**
   * What the caller's token grants: what any one of these grants. Everything else is as unknown as something that does not exist. An empty list grants
   * nothing. Default: everything.
   */
  readonly grants?: readonly Grant[];
}

/** A grant of the tools of the named facets, and of the named tools. With neither list, of every tool. */
export interface Grant {
  /** Facets that are granted whole: tools, record kinds, step types, prompts and resources. */
  readonly facets?: readonly string[];
  /** Names of single tools. */
  readonly tools?: readonly string[];
  /** Grants only tools and step types that do not mutate, and record kinds only to such tools. Default false. */
  readonly readOnly?: boolean;
}

/** Whether the rights leave anything out. */
export function isRestricted({ deny = [], readOnly = false, grants }: Rights): boolean {
  return deny.length > 0 || readOnly || grants !== undefined;
}

/** The same text for the same rights. */
export function rightsKey({ deny = [], readOnly = false, grants }: Rights): string {
  const granted = grants?.map(({ facets, tools, readOnly: onlyReads = false }) =>
    JSON.stringify([facets?.toSorted() ?? null, tools?.toSorted() ?? null, onlyReads]),
  );
  return JSON.stringify([deny.toSorted(), readOnly, granted?.toSorted() ?? null]);
}

/** What a caller asks for: everything of a facet, or names in it. */
interface Asked {
  /** Undefined: no mounted pack has the names. */
  readonly facet: string | undefined;
  /** A tool's name and aliases. Default: the whole facet is asked for. */
  readonly names?: readonly string[];
  /** Whether it may mutate. */
  readonly mutates: boolean;
}

/** Whether the caller's token grants what is asked for. Otherwise it is unknown to the caller. */
export function isGranted({ facet, names = [], mutates }: Asked, { grants }: Pick<Rights, "grants">): boolean {
  if (grants === undefined) return true;
  return grants.some((grant) => {
    if (mutates && grant.readOnly === true) return false;
    if (grantsEveryTool(grant) || names.some((name) => grant.tools?.includes(name) === true)) return true;
    return facet !== undefined && grant.facets?.includes(facet) === true;
  });
}

/** Whether the caller's token grants the tool. */
export function isToolGranted({ tool, facet }: CatalogEntry, rights: Pick<Rights, "grants">): boolean {
  return isGranted({ facet, names: namesOf(tool), mutates: tool.mutates }, rights);
}

function grantsEveryTool({ facets, tools }: Grant): boolean {
  return facets === undefined && tools === undefined;
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
