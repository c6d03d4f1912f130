import type { Access, PrincipalAccess, Rate } from "./access.ts";

/**
 * Combines what several scopes grant:
 *
 * - `grants`: those of each access.
 * - `roots` and `workspaces`: those of the server if one access names none. Otherwise all that are named, in the given order.
 * - `rate`: that of the server if one access names none. Otherwise the highest.
 */
export function unionAccess(accesses: readonly Access[]): PrincipalAccess {
  return {
    grants: accesses.map(({ facets, tools, readOnly }) => ({ facets, tools, readOnly })),
    roots: unionLists(accesses.map(({ roots }) => roots)),
    workspaces: unionLists(accesses.map(({ workspaces }) => workspaces)),
    rate: highestRate(accesses.map(({ rate }) => rate)),
  };
}

/** Undefined stands for everything. */
function unionLists(lists: readonly (readonly string[] | undefined)[]): string[] | undefined {
  const named = lists.filter((list) => list !== undefined);
  return named.length < lists.length ? undefined : [...new Set(named.flat())];
}

/** Undefined stands for the server's rate, which no access exceeds. */
function highestRate(rates: readonly (Rate | undefined)[]): Rate | undefined {
  const named = rates.filter((rate) => rate !== undefined);
  if (named.length < rates.length) return undefined;
  return named.toSorted((a, b) => b.requests / b.seconds - a.requests / a.seconds || b.requests - a.requests)[0];
}
