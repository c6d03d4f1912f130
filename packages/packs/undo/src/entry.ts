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
  readonly files?: readonly FileChange[];
  readonly records?: readonly RecordVersion[];
  /** The call that takes back a call of another server. */
  readonly inverse?: { readonly tool: string; readonly args: Readonly<Record<string, unknown>> };
  /** Why the call cannot be taken back. */
  readonly problem?: string;
  /** The ids of the entries that this one takes back. */
  readonly undoes?: readonly string[];
  /** The process was killed before the call ended. */
  readonly isKilled?: boolean;
}

/** An entry in the store. The generation is that of its last record; without records, one soon after the call. */
export type KeptEntry = Entry & { readonly id: string; readonly generation: number };

/** A kind whose records may be anything. */
export function anyKind(name: string) {
  return defineKind({ name, schema: () => z.looseObject({}) });
}

/** No pack declares the kind, so that no tool reads or writes it. */
export const entryKind = anyKind("undo_entry");

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
