import type { Call, Outcome, ToolContext } from "@toolpacks/core";
import type { Entry } from "./entry.ts";
import { keepCall, withNotice } from "./keep-call.ts";
import { type RunningCall, undoLimits, type UndoOptions } from "./undo-options.ts";
import { createUndoLog } from "./undo-log.ts";
import { createUndoRoots } from "./undo-roots.ts";
import { endKilledCalls } from "./unended-calls.ts";

export type OpenUndo = Awaited<ReturnType<typeof openUndo>>;

/** Opens all that the interceptor and the tools use. */
export async function openUndo(options: UndoOptions, running: ReadonlyMap<string, RunningCall>) {
  const { store, local, lockFile, actor, onError, maxBytes, days, maxFileBytes } = options;
  const folders = createUndoRoots(options);
  const limits = undoLimits.parse({ maxBytes, days, maxFileBytes });
  const log = createUndoLog({ local, lockFile, onError, protects: folders.protects, ...limits });
  await local.transaction((inside) => endKilledCalls(inside, log.maxFileBytes)).catch(onError);
  const currentSession = ({ intent, session }: ToolContext) => intent?.sessionId ?? session;
  const entryOf = (tool: string, context: ToolContext, call = context.callId ?? ""): Entry => ({
    call,
    unit: running.get(call)?.unit.id ?? call,
    run: context.operation?.split("/", 1)[0],
    tool,
    session: currentSession(context),
    agent: context.header?.("toolpacks-actor") ?? actor,
    principal: context.principal,
    place: context.intent?.workspaceId ?? store.workspace,
    at: new Date().toISOString(),
  });
  return {
    log,
    store,
    ...folders,
    /** Whether a caller sees an entry: of the workspaces that the store may open, principals their own ones, and the local user all. */
    isVisible: ({ principal, place }: Entry, context: ToolContext) =>
      (store.allowedWorkspaces === "all" || store.allowedWorkspaces.includes(place)) &&
      ["", principal].includes(context.principal),
    /** The id of a session by the word of a caller. */
    sessionOf: (word: string | undefined, context: ToolContext) =>
      word === "this" ? (currentSession(context) ?? "") : word,
    /** The entry of a call, without its changes. */
    entryOf,
    /** Runs a call of a unit, and keeps how it is taken back. */
    async keep(call: Call, next: (call: Call) => Promise<Outcome>, unit: RunningCall["unit"]): Promise<Outcome> {
      const entry = entryOf(call.tool.name, call.context);
      const outcome = await keepCall(call, next, { log, roots: folders.roots, entry });
      if (outcome.ok) unit.kept += 1;
      return outcome;
    },
    /** Says how to take back what a failed unit has done. */
    sayUnit: (outcome: Outcome, unit: string) =>
      withNotice(outcome, `undo {"unit": ${JSON.stringify(unit)}} takes back what it had done.`),
  };
}
