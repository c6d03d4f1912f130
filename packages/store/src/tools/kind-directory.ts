import { nearest, ToolError, type Kind } from "@toolpacks/core";

/** The kinds that the store's tools serve. */
export interface KindDirectory {
  readonly all: readonly Kind[];
  /** The kinds that the generic tools can write. */
  readonly open: readonly Kind[];
  /** Finds a kind by its name. @throws ToolError `not_found` naming the known kinds */
  find(name: string): Kind;
  /** Finds a kind for writing. @throws ToolError `denied` when only the kind's pack can write it */
  findOpen(name: string): Kind;
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
  const all = [...byName.values()];
  const find = (name: string): Kind => {
    const kind = byName.get(name);
    if (kind !== undefined) return kind;
    throw unknownKind(name, [...byName.keys()]);
  };
  return {
    all,
    open: all.filter(({ sealed }) => !sealed),
    find,
    findOpen(name) {
      const kind = find(name);
      if (!kind.sealed) return kind;
      throw new ToolError(
        "denied",
        `kind: nothing but its own tools writes records of kind ${kind.name}`,
        "store_query reads them.",
      );
    },
  };
}

/** The error for a kind that no mounted pack declares. */
export function unknownKind(name: string, known: readonly string[]): ToolError {
  const near = nearest(name, known)[0];
  return new ToolError(
    "not_found",
    `kind: there is no kind ${JSON.stringify(name.slice(0, 64))}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Kinds: ${known.join(", ") || "none is mounted"}.`,
  );
}
