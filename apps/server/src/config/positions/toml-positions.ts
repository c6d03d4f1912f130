import { TomlDocument } from "@decimalturn/toml-patch";
import { isObject } from "@toolpacks/core";
import { KeyPositions } from "./key-positions.ts";

/** A node of the document's syntax tree. The library exports no type of it. */
interface TomlNode {
  readonly type: string;
  readonly loc?: { readonly start: { readonly line: number; readonly column: number } };
  readonly key?: { readonly item?: TomlKey } & Partial<TomlKey>;
  readonly item?: TomlNode;
  readonly items?: readonly TomlNode[];
  /** The value of a key, or the parts of a name. */
  readonly value?: unknown;
}

interface TomlKey {
  readonly value: readonly string[];
  readonly loc: NonNullable<TomlNode["loc"]>;
}

export function tomlPositions(text: string): KeyPositions {
  const reader = new TomlReader();
  for (const node of new TomlDocument(text).cst as readonly TomlNode[]) reader.read(node, []);
  return reader.positions;
}

class TomlReader {
  readonly positions = new KeyPositions();
  /** Tables of each list of tables, by the name of the list. */
  readonly #counts = new Map<string, number>();

  read(node: TomlNode, parent: readonly PropertyKey[]): void {
    switch (node.type) {
      case "KeyValue": {
        const at = this.#addKey(parent, node.key as TomlKey | undefined);
        if (isObject(node.value)) this.read(node.value as unknown as TomlNode, at);
        return;
      }
      case "Table":
        return this.#readItems(node, this.#addKey(parent, node.key?.item));
      case "TableArray": {
        const at = this.#addKey(parent, node.key?.item);
        const count = this.#counts.get(at.join("\n")) ?? 0;
        this.#counts.set(at.join("\n"), count + 1);
        this.#add([...at, count], node);
        return this.#readItems(node, [...at, count]);
      }
      case "InlineTable":
        return this.#readItems(node, parent);
      case "InlineArray":
        for (const [index, { item }] of (node.items ?? []).entries()) {
          if (item === undefined) continue;
          this.#add([...parent, index], item);
          this.read(item, [...parent, index]);
        }
    }
  }

  #readItems({ items = [] }: TomlNode, parent: readonly PropertyKey[]): void {
    for (const item of items) this.read(item.type === "InlineItem" && item.item ? item.item : item, parent);
  }

  /** Adds each part of a dotted name. */
  #addKey(parent: readonly PropertyKey[], key: TomlKey | undefined): readonly PropertyKey[] {
    const parts = key?.value ?? [];
    for (const last of parts.keys()) this.#add([...parent, ...parts.slice(0, last + 1)], key);
    return [...parent, ...parts];
  }

  #add(at: readonly PropertyKey[], node: Pick<TomlNode, "loc"> | undefined): void {
    if (node?.loc === undefined) return;
    const { line, column } = node.loc.start;
    this.positions.add(at, { line, column: column + 1 });
  }
}
