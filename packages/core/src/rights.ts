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

/**
 * Whether the caller's token grants everything of the facet.
 *
 * @param mutates whether something that mutates is asked for. Default false.
 */
export function isGrantedWhole(facet: string, { grants }: Pick<Rights, "grants">, mutates = false): boolean {
  return grants === undefined || grantsFor(grants, mutates).some((grant) => includesFacet(grant, facet));
}

/** Whether the caller's token grants the tool. Otherwise the tool is unknown to the caller. */
export function isToolGranted({ tool, facet }: CatalogEntry, { grants }: Pick<Rights, "grants">): boolean {
  if (grants === undefined) return true;
  return grantsFor(grants, tool.mutates).some(
    (grant) => includesFacet(grant, facet) || namesOf(tool).some((name) => grant.tools?.includes(name) === true),
  );
}

/**
 * Whether the caller's token grants a tool that does not exist here.
 *
 * @param facet the pack that knows of it, if there is one
 * @param mutates whether the tool may mutate
 */
export function isNameGranted(
  { name, facet, mutates }: { readonly name: string; readonly facet: string | undefined; readonly mutates: boolean },
  { grants }: Pick<Rights, "grants">,
): boolean {
  if (grants === undefined) return true;
  return grantsFor(grants, mutates).some(
    (grant) =>
      grant.tools?.includes(name) === true ||
      (facet === undefined ? grantsEveryTool(grant) : includesFacet(grant, facet)),
  );
}

function grantsFor(grants: readonly Grant[], mutates: boolean): readonly Grant[] {
  return mutates ? grants.filter(({ readOnly }) => readOnly !== true) : grants;
}

function includesFacet(grant: Grant, facet: string): boolean {
  return grantsEveryTool(grant) || grant.facets?.includes(facet) === true;
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
