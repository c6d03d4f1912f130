import { defineKind } from "@toolpacks/core";
import type { RecordVersion } from "@toolpacks/store";
import { z } from "zod";
import type { Leaf } from "./leaves.ts";

/** What a call did to one real path. Null: nothing is there. */
export interface FileChange {
  readonly path: string;
  readonly before: Leaf | null;
  /** Undefined: the process was killed during the call. */
  readonly after?: Leaf | null;
}

/** Which call an entry is of. */
export interface CallFacts {
  readonly call: string;
  /** The outermost call around it: a batch, a workflow or a script. Otherwise its own id. */
  readonly unit: string;
  /** The first report of the workflow that made the call. */
  readonly run?: string | undefined;
  readonly tool: string;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly principal: string;
  /** When the call ended, as ISO 8601 in UTC. */
  readonly at: string;
  /** The ids of the entries that this one takes back. */
  readonly undoes?: readonly string[] | undefined;
}

/** What one call changed: files, or the records of one transaction. A call may have several entries. */
export interface Entry extends CallFacts {
  readonly files?: readonly FileChange[] | undefined;
  readonly records?: readonly RecordVersion[] | undefined;
  /** The call that takes back a call of another server. */
  readonly inverse?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> } | undefined;
  /** Why the call cannot be taken back. */
  readonly problem?: string | undefined;
}

/** An entry in the store. */
export interface KeptEntry extends Entry {
  readonly id: string;
  /** The record that holds it, with others. */
  readonly row: string;
  /** The generation of its last record. Without records, a generation soon after the call. */
  readonly generation: number;
}

/** Records that hold entries. No pack declares the kind, so that no tool reads or writes it. */
export const entryKind = defineKind({ name: "undo_entry", schema: () => z.looseObject({}) });

/** What an entry changed, in words: `changed docs/a.md`, `deleted note n1`. @param show gives the path that a caller knows */
export function changesOf({ files = [], records = [], inverse, problem }: Entry, show: (real: string) => string) {
  const verb = (before: unknown, after: unknown) =>
    before === null ? "created" : after === null ? "deleted" : "changed";
  return [
    ...files.map(({ path, before, after }) => `${verb(before, after)} ${show(path)}`),
    ...records.flatMap(({ derived, before, generation, kind, id }) =>
      derived ? [] : [`${verb(before, generation === 0 ? null : generation)} ${kind} ${id}`],
    ),
    ...(inverse === undefined ? [] : [`taken back by ${inverse.tool} ${JSON.stringify(inverse.args)}`]),
    ...(problem === undefined ? [] : [`cannot be taken back: ${problem}`]),
  ];
}
