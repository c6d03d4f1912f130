import { nearest } from "../../nearest.ts";
import { ToolError } from "../../tool-error.ts";
import type { Kind } from "../kind.ts";

/** The kinds that the store's tools serve. */
export interface KindDirectory {
  readonly all: readonly Kind[];
  /** What search may find the store's tools by. */
  readonly names: readonly string[];
  /** The kinds' names, and what people say of them. */
  readonly words: readonly string[];
  /** Each kind's one line: what would be put. */
  readonly descriptions: readonly string[];
  /** @throws ToolError `not_found` naming the known kinds */
  find(name: string): Kind;
}

/** @throws Error when two kinds share a name */
export function createKindDirectory(kinds: readonly Kind[]): KindDirectory {
  const byName = new Map<string, Kind>();
  for (const kind of kinds) {
    if (byName.has(kind.name) && byName.get(kind.name) !== kind) {
      throw new Error(`two packs declare a kind named ${kind.name}: rename one of them`);
    }
    byName.set(kind.name, kind);
  }
  return {
    all: [...byName.values()],
    names: [...byName.keys()],
    words: [...byName.values()].flatMap(({ name, keywords }) => [name, ...keywords]),
    descriptions: [...byName.values()].map(({ description }) => description),
    find(name) {
      const kind = byName.get(name);
      if (kind !== undefined) return kind;
      throw unknownKind(name, [...byName.keys()]);
    },
  };
}

/** The failure for a kind that no mounted pack declares. */
export function unknownKind(name: string, known: readonly string[]): ToolError {
  const near = nearest(name, known)[0];
  return new ToolError(
    "not_found",
    `kind: there is no kind ${JSON.stringify(name.slice(0, 64))}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Kinds: ${known.join(", ") || "none is mounted"}.`,
  );
}
