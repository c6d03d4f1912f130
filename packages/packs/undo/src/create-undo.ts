import type { Call, CallObserver, Interceptor, Outcome, Store } from "@toolpacks/core";
import type * as keeping from "./keep-call.ts";
import type { CallFacts } from "./entry.ts";
import type { LogOptions, UndoLog } from "./undo-log.ts";
import type { Roots } from "@toolpacks/files";

export interface UndoOptions extends Omit<LogOptions, "store"> {
  /** The internal store, which keeps the entries: `OwnedStore.internal`. */
  readonly internal: Store;
  /** The store of the tools. Undone records are written to it. */
  readonly store: Store;
  /** The folders whose files can be taken back, and what is protected in them. */
  readonly roots: (() => Promise<Roots>) | undefined;
  /** The name of the agent of calls that name none. */
  readonly actor?: string | undefined;
}

/** Keeps what calls change. Its code is loaded at the first call that mutates. */
export interface Undo {
  /** Keeps how each call that mutates is taken back. Stands inside the relay, where arguments and results are whole. */
  readonly interceptor: Interceptor;
  /** Finds the outermost call of each call, and says how to take back what a failed one had done. */
  readonly observer: CallObserver;
  readonly options: UndoOptions;
  /** The entries. Opened at the first use. */
  log(): Promise<UndoLog>;
  facts(call: Pick<Call, "tool" | "context">): CallFacts;
}

/** The average number of kept calls between two looks for what is too old or too much. */
const callsPerPruning = 200;

export function createUndo(options: UndoOptions): Undo {
  let opening: Promise<readonly [UndoLog, typeof keeping, Roots["list"]]> | undefined;
  const open = () => (opening ??= openAll(options));
  /** The outermost call of each running call. */
  const units = new Map<string, { readonly id: string; kept: number }>();
  const facts: Undo["facts"] = ({ tool, context }) => {
    const { callId = "", intent, session = intent?.sessionId, principal } = context;
    return {
      call: callId,
      unit: units.get(callId)?.id ?? callId,
      run: context.operation?.split("/", 1)[0],
      tool: tool.name,
      session: intent?.sessionId ?? session,
      agent: context.header?.("toolpacks-actor") ?? options.actor,
      principal,
      inWorkspace: intent?.workspaceId ?? options.store.workspace,
      at: new Date().toISOString(),
    };
  };
  return {
    options,
    facts,
    log: async () => (await open())[0],
    async interceptor(call, next) {
      if (!call.tool.mutates || call.tool.effects.calls === true) return next(call);
      const [log, { keepCall }, roots] = await open();
      const unit = units.get(call.context.callId ?? "");
      if (unit !== undefined) unit.kept += 1;
      if (Math.random() < 1 / callsPerPruning) void log.prune().catch(options.onError);
      return keepCall(call, next, { log, roots, facts: facts(call) });
    },
    async observer(call, run) {
      const unit = units.get(call.parent ?? "") ?? { id: call.id, kept: 0 };
      units.set(call.id, unit);
      try {
        const end = await run(call.context);
        const isUnit = unit.id === call.id && unit.kept > 1;
        return end.outcome.ok || !isUnit ? end : { ...end, outcome: await failedUnit(end.outcome, unit.id) };
      } finally {
        units.delete(call.id);
      }
    },
  };
}

async function openAll({ internal, roots, ...options }: UndoOptions) {
  const [{ createUndoLog }, keepingCalls] = await Promise.all([import("./undo-log.ts"), import("./keep-call.ts")]);
  return [createUndoLog({ ...options, store: internal }), keepingCalls, (await roots?.())?.list ?? []] as const;
}

async function failedUnit(outcome: Outcome, unit: string): Promise<Outcome> {
  const { withNotice } = await import("./keep-call.ts");
  return withNotice(outcome, `undo {"unit": ${JSON.stringify(unit)}} takes back what it had done.`);
}
