import { type CallObserver, definePack, type Interceptor } from "@toolpacks/core";
import type { OpenUndo } from "./open-undo.ts";
import type { RunningCall, UndoOptions } from "./undo-options.ts";

/**
 * The undo pack: keeps what calls change, and takes it back. Its code is loaded at the first call that mutates.
 *
 * @returns the pack with its tools, and the interceptor and the observer that keep what the tools need
 */
export function createUndo(options: UndoOptions) {
  let opening: Promise<OpenUndo> | undefined;
  const running = new Map<string, RunningCall>();
  const open = () => (opening ??= import("./open-undo.ts").then(({ openUndo }) => openUndo(options, running)));
  /** Keeps how each call that mutates is taken back. Stands inside the relay, where arguments and results are whole. */
  const interceptor: Interceptor = async (call, next) => {
    const unit = running.get(call.context.callId ?? "")?.unit;
    return unit && call.tool.mutates && call.tool.effects.calls !== true
      ? (await open()).keep(call, next, unit)
      : next(call);
  };
  /** Finds the outermost call of each call that no undo makes, and says how to take back what a failed one has done. */
  const observer: CallObserver = async (call, run) => {
    const parent = running.get(call.parent ?? "");
    if (parent?.name === "undo") return run(call.context);
    const unit = parent?.unit ?? { id: call.id, kept: 0 };
    running.set(call.id, { name: call.name, unit });
    const end = await run(call.context);
    running.delete(call.id);
    if (end.outcome.ok || unit.id !== call.id || unit.kept === 0 || end.entry?.tool.effects.calls !== true) return end;
    return { ...end, outcome: (await open()).sayUnit(end.outcome, unit.id) };
  };
  const pack = definePack({
    name: "undo",
    description: "What calls have changed in files and records, and taking it back.",
    budget: 250,
    async tools() {
      return (await import("./tools.ts")).undoTools(open);
    },
  })();
  return { pack, interceptor, observer, open };
}
