import { defineKind } from "@toolpacks/core";
import type { RecordVersion } from "@toolpacks/store";
import { z } from "zod";

/** An entry of the file system, as it was at some time. Files have their content in the images, by its hash. */
export type Node = FileNode | LinkNode | FolderNode;

export interface FileNode {
  readonly type: "file";
  /** Differs after every write and replacement: inode, size and time of change. */
  readonly version: string;
  readonly mode: number;
  readonly size: number;
  /** SHA-256 of the content. Undefined: it is not kept. */
  readonly hash?: string | undefined;
}

interface LinkNode {
  readonly type: "link";
  readonly target: string;
}

export interface FolderNode {
  readonly type: "folder";
  readonly mode: number;
  readonly entries: Readonly<Record<string, Node>>;
}

/** What a call did to one real path. Null: there is nothing. */
export interface FileChange {
  readonly path: string;
  readonly before: Node | null;
  /** Undefined: the process was killed during the call. */
  readonly after?: Node | null;
  /** The path from which `after` was moved. */
  readonly movedFrom?: string | undefined;
  /** What the call left at `movedFrom`. Default: nothing. */
  readonly left?: Node | null;
}

/** A call of another tool, by which a call of another server can be taken back. */
export interface InverseCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** The part of an entry that tells which call it is of. */
export interface CallFacts {
  readonly call: string;
  /** The outermost call that it belongs to: a batch, a workflow or a script. Its own id if there is none. */
  readonly unit: string;
  /** The first report of the workflow that made the call. */
  readonly run?: string | undefined;
  readonly tool: string;
  readonly session?: string | undefined;
  readonly agent?: string | undefined;
  readonly principal: string;
  /** The workspace of the call. */
  readonly inWorkspace: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  /** The ids of the entries that this one takes back. */
  readonly undoes?: readonly string[] | undefined;
}

/**
 * What one call changed: files, records of one transaction, or something that only another call takes back. The ids sort by time. A call may have several
 * entries.
 */
export interface Entry extends CallFacts {
  readonly files?: readonly FileChange[] | undefined;
  readonly records?: readonly RecordVersion[] | undefined;
  readonly inverse?: InverseCall;
  /** Why the call cannot be taken back. */
  readonly problem?: string;
}

/** An entry in the store. */
export interface KeptEntry extends Entry {
  readonly id: string;
  /** The record that holds it, with others. */
  readonly row: string;
  /** The generation of its last record. Without records, a generation soon after the call. */
  readonly generation: number;
}

/** The kind of records that hold entries. No pack declares it, so that no tool reads or writes it. */
export const entryKind = defineKind({
  name: "undo_entry",
  description: "What a call changed, and how it was before.",
  schema: () => z.looseObject({}),
});

/** Whether an entry says how its call is taken back. */
export function isReversible({ files, records, inverse }: Entry): boolean {
  return files !== undefined || records !== undefined || inverse !== undefined;
}
