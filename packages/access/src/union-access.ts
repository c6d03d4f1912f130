import type { DefinedOnly } from "@toolpacks/core";
import type { Access, GrantedNames, PrincipalAccess, Rate } from "./access.ts";

/**
 * Combines what several scopes grant:
 *
 * - `grants`: the tools that any access grants, in one grant for all of its tools and one for reading only. So it grants a tool exactly if one access does.
 * - `roots` and `workspaces`: those of the server if one access names none. Otherwise all that are named, in the given order.
 * - `rate`: that of the server if one access names none. Otherwise the highest.
 */
export function unionAccess(accesses: readonly Access[]): PrincipalAccess {
  const all = unionNames(accesses.filter(({ readOnly }) => readOnly !== true));
  const reading = unionNames(accesses.filter(({ readOnly }) => readOnly === true));
  return {
    grants: [...(isEmpty(all) ? [] : [all]), ...(covers(all, reading) ? [] : [{ ...reading, readOnly: true }])],
    ...optional("roots", unionLists(accesses.map(({ roots }) => roots))),
    ...optional("workspaces", unionLists(accesses.map(({ workspaces }) => workspaces))),
    ...optional("rate", highestRate(accesses.map(({ rate }) => rate))),
  };
}

/** The names of several accesses, without regard to `readOnly`. */
function unionNames(accesses: readonly Access[]): DefinedOnly<GrantedNames> {
  if (accesses.some(grantsEveryTool)) return {};
  const facets = unique(accesses.flatMap((access) => access.facets ?? []));
  const tools = unique(accesses.flatMap((access) => access.tools ?? []));
  // Without either list, the result would be a grant of every tool.
  return { facets, ...(tools.length > 0 && { tools }) };
}

/** Whether the first names grant everything that the second names grant. */
function covers(one: GrantedNames, other: GrantedNames): boolean {
  if (grantsEveryTool(one)) return true;
  return !grantsEveryTool(other) && includesAll(one.facets, other.facets) && includesAll(one.tools, other.tools);
}

function isEmpty(names: GrantedNames): boolean {
  return covers({ facets: [] }, names);
}

function grantsEveryTool({ facets, tools }: GrantedNames): boolean {
  return facets === undefined && tools === undefined;
}

function includesAll(all: readonly string[] = [], some: readonly string[] = []): boolean {
  return some.every((one) => all.includes(one));
}

/** Undefined stands for everything. */
function unionLists(lists: readonly (readonly string[] | undefined)[]): string[] | undefined {
  const named = lists.filter((list) => list !== undefined);
  return named.length < lists.length ? undefined : unique(named.flat());
}

/** Undefined stands for the server's rate, which no access exceeds. */
function highestRate(rates: readonly (Rate | undefined)[]): Rate | undefined {
  const named = rates.filter((rate) => rate !== undefined);
  if (named.length < rates.length) return undefined;
  return named.toSorted((a, b) => b.requests / b.seconds - a.requests / a.seconds || b.requests - a.requests)[0];
}

function optional<Key extends string, Value>(key: Key, value: Value | undefined): { [Name in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [Name in Key]?: Value });
}

function unique(names: readonly string[]): string[] {
  return [...new Set(names)];
}
