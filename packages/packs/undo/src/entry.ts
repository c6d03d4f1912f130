import { defineKind } from "@toolpacks/core";
import type { RecordVersion } from "@toolpacks/store";
import { z } from "zod";
import type { FileChange } from "./leaf.ts";

/** What one call changed: files, or the records of one transaction. A call may have several entries. */
export interface Entry {
  readonly call: string;
  /** The outermost call around it: a batch, a workflow or a script. Otherwise its own id. */
  readonly unit: string;
  /** The first report of the workflow that made the call. */
  readonly run?: string | undefined;
  readonly tool: string;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly principal: string;
  /** The workspace of the call. */
  readonly place: string;
  /** When the call ended, as ISO 8601 in UTC. */
  readonly at: string;
  readonly files?: readonly FileChange[] | undefined;
  readonly records?: readonly RecordVersion[] | undefined;
  /** The call that takes back a call of another server. */
  readonly inverse?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
  /** Why the call cannot be taken back. */
  readonly problem?: string | undefined;
  /** The ids of the entries that this one takes back. */
  readonly undoes?: readonly string[];
  /** The process of a call that has not ended, or was killed: its machine and id. */
  readonly running?: string;
}

/** An entry in the store, and the generation of its last write. */
export type KeptEntry = Entry & { readonly id: string; readonly generation: number };

/** No pack declares the kind, so that no tool reads or writes it. `contents` are the digests of the old contents. */
export const entryKind = defineKind({
  name: "undo_entry",
  schema: () => z.looseObject({ contents: z.array(z.string()).optional() }),
  indexes: ["contents"],
});

/** The old contents of an entry, with their sizes. */
export function contentsOf({ files = [] }: Entry): ReadonlyMap<string, number> {
  return new Map(
    files.flatMap(({ before }) =>
      before?.type === "file" && before.content !== undefined ? [[before.content, before.size] as const] : [],
    ),
  );
}

/** What an entry changed, in words: `changed docs/a.md`, `deleted note n1`. @param show gives the path that a caller knows */
export function changesOf({ files = [], records = [], inverse, problem }: Entry, show: (real: string) => string) {
  const verb = (before: unknown, after: unknown) =>
    before === null ? "created" : after === null ? "deleted" : "changed";
  return [
    ...files.map(({ path, before, after }) => `${verb(before, after)} ${show(path)}`),
    ...records.flatMap(({ derived, before, generation, kind, id }) =>
      derived ? [] : [`${verb(before, generation || null)} ${kind} ${id}`],
    ),
    ...(inverse === undefined ? [] : [`taken back by ${inverse.tool} ${JSON.stringify(inverse.args)}`]),
    ...(problem === undefined ? [] : [`cannot be taken back: ${problem}`]),
  ];
}
