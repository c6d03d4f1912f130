import type { CallObserver, Interceptor, Store, ToolContext } from "@toolpacks/core";
import { isInside, type Roots } from "@toolpacks/files";
import type { Entry } from "./entry.ts";
import type { LogOptions } from "./undo-log.ts";

export interface UndoOptions extends LogOptions {
  /** The store of the tools. Records are taken back through it. */
  readonly store: Store;
  /** Opens the folders whose files can be taken back. Undefined: there are none. */
  readonly roots: () => Promise<Roots | undefined>;
  /** The agent of calls that name none. */
  readonly actor?: string | undefined;
}

export type Undo = ReturnType<typeof createUndo>;

/** The average number of calls between two looks for what is beyond the limits. */
const callsPerPruning = 200;

/** Keeps what calls change, so that it can be taken back. Its code is loaded at the first call that mutates. */
export function createUndo(options: UndoOptions) {
  let opening: ReturnType<typeof openAll> | undefined;
  const open = () => (opening ??= openAll(options));
  /** The running calls: by what they were made, and their unit with the number of its calls that were kept. */
  const running = new Map<
    string,
    { readonly isOfUndo: boolean; readonly name: string; readonly unit: { readonly id: string; kept: number } }
  >();
  const entryOf = (tool: string, { callId = "", intent, principal, ...context }: ToolContext): Entry => ({
    call: callId,
    unit: running.get(callId)?.unit.id ?? callId,
    run: context.operation?.split("/", 1)[0],
    tool,
    session: intent?.sessionId ?? context.session,
    agent: context.header?.("toolpacks-actor") ?? options.actor,
    principal,
    place: intent?.workspaceId ?? options.store.workspace,
    at: new Date().toISOString(),
  });
  /** Keeps how each call that mutates is taken back. Stands inside the relay, where arguments and results are whole. */
  const interceptor: Interceptor = async (call, next) => {
    const own = running.get(call.context.callId ?? "");
    if (!call.tool.mutates || call.tool.effects.calls === true || own?.isOfUndo === true) return next(call);
    const { log, roots, keepCall } = await open();
    if (own !== undefined) own.unit.kept += 1;
    if (Math.random() < 1 / callsPerPruning) void log.prune().catch(options.onError);
    return keepCall(call, next, { log, roots: roots?.list ?? [], entry: entryOf(call.tool.name, call.context) });
  };
  /** Finds the outermost call of each call, and says how to take back what a failed one has done. */
  const observer: CallObserver = async (call, run) => {
    const parent = running.get(call.parent ?? "");
    const unit = parent?.unit ?? { id: call.id, kept: 0 };
    running.set(call.id, { isOfUndo: parent?.name === "undo", name: call.name, unit });
    const end = await run(call.context);
    running.delete(call.id);
    if (end.outcome.ok || unit.id !== call.id || unit.kept === 0 || end.entry?.tool.effects.calls !== true) return end;
    const { withNotice } = await open();
    return { ...end, outcome: withNotice(end.outcome, `undo {"unit": "${unit.id}"} takes back what it had done.`) };
  };
  return { options, open, entryOf, interceptor, observer };
}

async function openAll(options: UndoOptions) {
  const [{ createUndoLog }, { keepCall, withNotice }] = await Promise.all([
    import("./undo-log.ts"),
    import("./keep-call.ts"),
  ]);
  const roots = await options.roots();
  const isOurs = (real: string) => roots?.list.some((root) => isInside(root.path, real)) === true;
  /** The path by which a caller knows a real path. */
  const show = (real: string) => (isOurs(real) ? (roots?.show(real) ?? real) : real);
  return { log: createUndoLog(options), roots, show, keepCall, withNotice };
}
