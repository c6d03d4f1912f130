import type { CallObserver, Interceptor, Store } from "@toolpacks/core";
import type { ProtectionOptions } from "@toolpacks/files";
import type { z } from "zod";
import type { OpenUndo } from "./open-undo.ts";
import type { undoLimits } from "./undo-limits.ts";

export interface UndoOptions extends z.input<typeof undoLimits> {
  /** The store of the tools. Records are taken back through it. */
  readonly store: Store;
  /** The store's internal view, which has the entries. */
  readonly internal: Store;
  /** Private folder for the earlier contents of files, and for a journal of each process. */
  readonly folder: string;
  /** Folders whose files can be taken back. Default: none. */
  readonly roots?: readonly string[];
  /** What is protected in them. */
  readonly protection?: ProtectionOptions;
  /** The agent of calls that name none. */
  readonly actor?: string | undefined;
  /** Called when entries cannot be written to the store or dropped. */
  readonly onError: (error: unknown) => void;
}

/** A running call: whether an undo makes it, and its outermost call with the number of calls that were kept. */
export interface RunningCall {
  readonly isOfUndo: boolean;
  readonly name: string;
  readonly unit: { readonly id: string; kept: number };
}

export type Undo = ReturnType<typeof createUndo>;

/** Keeps what calls change, so that it can be taken back. Its code is loaded at the first call that mutates. */
export function createUndo(options: UndoOptions) {
  let opening: Promise<OpenUndo> | undefined;
  const running = new Map<string, RunningCall>();
  const open = () => (opening ??= import("./open-undo.ts").then(({ openUndo }) => openUndo(options, running)));
  /** Keeps how each call that mutates is taken back. Stands inside the relay, where arguments and results are whole. */
  const interceptor: Interceptor = async (call, next) => {
    const isKept = call.tool.mutates && call.tool.effects.calls !== true;
    return isKept ? (await open()).keep(call, next) : next(call);
  };
  /** Finds the outermost call of each call, and says how to take back what a failed one has done. */
  const observer: CallObserver = async (call, run) => {
    const parent = running.get(call.parent ?? "");
    const unit = parent?.unit ?? { id: call.id, kept: 0 };
    running.set(call.id, { isOfUndo: parent?.name === "undo", name: call.name, unit });
    const end = await run(call.context);
    running.delete(call.id);
    if (end.outcome.ok || unit.id !== call.id || unit.kept === 0 || end.entry?.tool.effects.calls !== true) return end;
    return { ...end, outcome: (await open()).sayUnit(end.outcome, unit.id) };
  };
  return { open, interceptor, observer };
}
