import type { Access, Rate } from "./access.ts";

/**
 * Combines what several scopes grant, field by field:
 *
 * - `facets` and `tools`: everything if one access names neither. Otherwise the facets and tools that any access names.
 * - `readOnly`: only if every access is read-only.
 * - `roots` and `workspaces`: those of the server if one access names none. Otherwise all that are named, in the given order.
 * - `rate`: that of the server if one access names none. Otherwise the highest.
 *
 * Two accesses that differ in several fields may grant more together than each does alone: see `grantMoreTogether`.
 *
 * @param accesses at least one
 */
export function unionAccess(accesses: readonly Access[]): Access {
  return {
    ...unionTools(accesses),
    ...(accesses.every(({ readOnly }) => readOnly === true) && { readOnly: true }),
    ...optional("roots", unionLists(accesses.map(({ roots }) => roots))),
    ...optional("workspaces", unionLists(accesses.map(({ workspaces }) => workspaces))),
    ...optional("rate", highestRate(accesses.map(({ rate }) => rate))),
  };
}

/**
 * Whether the union of two accesses grants something that neither grants: `{facets: [issues]}` and `{readOnly: true}` together allow to change
 * everything. The union is exact when one access covers the other, or when both differ in one field.
 */
export function grantMoreTogether(one: Access, other: Access): boolean {
  const comparisons = dimensions.map((covers) => [covers(one, other), covers(other, one)] as const);
  if (comparisons.every(([covers]) => covers) || comparisons.every(([, isCovered]) => isCovered)) return false;
  return comparisons.filter(([covers, isCovered]) => !covers || !isCovered).length > 1;
}

/** For each independent part of an access: whether the first access grants all that the second grants. */
const dimensions: readonly ((one: Access, other: Access) => boolean)[] = [
  (one, other) =>
    grantsEveryTool(one) ||
    (!grantsEveryTool(other) && includesAll(one.facets, other.facets) && includesAll(one.tools, other.tools)),
  (one, other) => one.readOnly !== true || other.readOnly === true,
  (one, other) => one.roots === undefined || (other.roots !== undefined && includesAll(one.roots, other.roots)),
  (one, other) =>
    one.workspaces === undefined || (other.workspaces !== undefined && includesAll(one.workspaces, other.workspaces)),
];

function grantsEveryTool({ facets, tools }: Access): boolean {
  return facets === undefined && tools === undefined;
}

function includesAll(all: readonly string[] = [], some: readonly string[] = []): boolean {
  return some.every((one) => all.includes(one));
}

function unionTools(accesses: readonly Access[]): Pick<Access, "facets" | "tools"> {
  if (accesses.some(grantsEveryTool)) return {};
  const facets = unique(accesses.flatMap((access) => access.facets ?? []));
  const tools = unique(accesses.flatMap((access) => access.tools ?? []));
  // Without either list, the result would grant every tool.
  return { facets, ...(tools.length > 0 && { tools }) };
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
