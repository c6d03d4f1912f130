import { quoteName, ToolError, type Call, type Outcome, type ToolContext } from "@toolpacks/core";
import { createRoots, isInside, type Root, type RootEntry } from "@toolpacks/files";
import type { Entry } from "./entry.ts";
import { keepCall, withNotice } from "./keep-call.ts";
import { type RunningCall, undoLimits, type UndoOptions } from "./undo-options.ts";
import { createUndoLog } from "./undo-log.ts";
import { endKilledCalls } from "./unended-calls.ts";

export type OpenUndo = Awaited<ReturnType<typeof openUndo>>;

/** Opens all that the interceptor and the tools use. */
export async function openUndo(options: UndoOptions, running: ReadonlyMap<string, RunningCall>) {
  const {
    store,
    local,
    lockFile,
    rootsByPack = {},
    roots: folders = Object.values(rootsByPack).flat(),
    protection,
    actor,
    onError,
    ...limits
  } = options;
  const roots = folders.length === 0 ? undefined : createRoots(folders, protection);
  const rootsOfPacks = new Map(Object.entries(rootsByPack).map(([pack, own]) => [pack, rootsIn(own)]));
  const protects = (real: string) => roots?.protects(real) === true;
  const log = createUndoLog({ local, lockFile, onError, protects, ...undoLimits.parse(limits) });
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
    /** Opens an entry of the file system to change it. @throws ToolError `denied` for a protected path and one out of the roots */
    change: async (real: string, use: (entry: RootEntry) => Promise<void>): Promise<void> => {
      if (roots === undefined) throw new ToolError("denied", "this server has no folder for files");
      return roots.at(real, use, { follow: false, access: "replace" });
    },
    /** Whether the tools of a pack may change real paths. */
    mayChange(pack: string, reals: readonly string[]): boolean {
      const own = rootsOfPacks.get(pack) ?? roots?.list ?? [];
      return reals.every((real) => own.some((root) => isInside(root.path, real)));
    },
    /** The path by which a caller knows a real path. */
    show: (real: string) =>
      quoteName(roots?.list.some((root) => isInside(root.path, real)) === true ? roots.show(real) : real),
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
      const outcome = await keepCall(call, next, { log, roots: roots?.list ?? [], entry });
      if (outcome.ok) unit.kept += 1;
      return outcome;
    },
    /** Says how to take back what a failed unit has done. */
    sayUnit: (outcome: Outcome, unit: string) =>
      withNotice(outcome, `undo {"unit": ${JSON.stringify(unit)}} takes back what it had done.`),
  };
}

function rootsIn(folders: readonly string[]): readonly Root[] {
  return folders.length === 0 ? [] : createRoots(folders).list;
}
