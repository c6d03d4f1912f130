import { quoteName } from "../roots/quote-name.ts";

/** A value inside the checked value, with what was found about it: each schema is evaluated at most once at each place. */
export interface Place {
  readonly value: unknown;
  readonly parent?: Place;
  readonly key?: string | number;
  readonly depth: number;
  readonly results: Map<object, Result>;
  readonly children: Map<string | number, Place>;
}

export interface Problem {
  readonly place: Place;
  readonly message: string;
}

/** How a place fares under a schema. */
export interface Result {
  readonly problems: readonly Problem[];
  /** The keys that the schema speaks of, for `unevaluated…`. */
  readonly evaluated: ReadonlySet<string | number>;
}

export function rootPlace(value: unknown): Place {
  return { value, depth: 0, results: new Map(), children: new Map() };
}

export function childOf(parent: Place, key: string | number): Place {
  const known = parent.children.get(key);
  if (known !== undefined) return known;
  const value = (parent.value as Readonly<Record<string | number, unknown>>)[key];
  const child = { value, parent, key, depth: parent.depth + 1, results: new Map(), children: new Map() };
  parent.children.set(key, child);
  return child;
}

/** `owner.logins[2]`; empty at the root. */
export function pathOf({ parent, key }: Place): string {
  if (parent === undefined || key === undefined) return "";
  const before = pathOf(parent);
  if (typeof key === "number") return `${before}[${key}]`;
  return before === "" ? quoteName(key) : `${before}.${quoteName(key)}`;
}
