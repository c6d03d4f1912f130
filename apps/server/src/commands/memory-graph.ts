import { definedOnly } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { printTable, type Column } from "../print-table.ts";
import { print, printError } from "../print.ts";
import { callTool, printEmpty, showResult } from "./open-tools.ts";

interface Graph {
  readonly items: readonly {
    readonly name: string;
    readonly type?: string;
    /** Relations between it and the first entity. */
    readonly depth: number;
    readonly observations: readonly string[];
  }[];
  readonly relations: readonly { readonly from: string; readonly type: string; readonly to: string }[];
  readonly total: number;
  /** Observations that name the entity, if it is none. */
  readonly naming?: readonly { readonly id: string; readonly text: string }[];
  readonly hint?: string;
}

const entityColumns: readonly Column[] = [
  { title: "entity", style: () => "cyan" },
  { title: "type" },
  { title: "steps" },
  { title: "known", isText: true },
];

const relationColumns: readonly Column[] = [
  { title: "from", style: () => "cyan" },
  { title: "relation" },
  { title: "to", style: () => "cyan" },
];

/** `toolpacks memory graph`: shows an entity, its neighbours and their relations. */
export async function showGraph(
  entity: string,
  flags: Flags & { depth?: number; limit?: number; json?: boolean },
): Promise<void> {
  const { depth, limit } = flags;
  const result = await callTool<Graph>(flags, "memory_graph", definedOnly({ entity, depth, limit }));
  showResult(result, flags, ({ items, relations, total, naming = [], hint }) => {
    if (items.length === 0) {
      printEmpty(hint, "there is no such entity", flags);
      if (naming.length > 0)
        printTable(
          [{ title: "id" }, { title: "text", isText: true }],
          naming.map(({ id, text }) => [id, text]),
        );
      return;
    }
    printTable(
      entityColumns,
      items.map(({ name, type, depth: steps, observations }) => [name, type, steps, observations.join(" | ")]),
    );
    if (relations.length > 0) {
      print("");
      printTable(
        relationColumns,
        relations.map(({ from, type, to }) => [from, type, to]),
      );
    }
    if (items.length < total) printError(`${items.length} of ${total} entities; --limit shows more`);
  });
}
