import {
  coreFacet,
  measure,
  type CallEnd,
  type CallObserver,
  type Intent,
  type ObservedCall,
  type Outcome,
  type Store,
} from "@toolpacks/core";
import { createWriteBehind, newRecordId, removeOld } from "@toolpacks/store";
import type { EndedCall, HeldArgs, HeldCall } from "./condense-call.ts";
import { trace } from "./trace.ts";

export interface TracesOptions {
  /** The maximum number of traces in each workspace; the oldest are removed first. Default 10,000. */
  readonly keep?: number;
  /** How long to keep traces, in days. Default 30. */
  readonly days?: number;
  /** Called when traces cannot be written, and not again until a write succeeds. Default: the error is dropped. */
  readonly onError?: (error: unknown) => void;
}

/** Records a trace of every call that passes the observer. */
export interface Traces {
  /** Queues each call, also a refused one. A trace is written after the response, to the workspace of its call. */
  readonly observer: CallObserver;
  /** Writes the traces of all calls that have ended, so that searches find them. Never rejects. */
  flush(): Promise<void>;
}

const loadCondenser = () => import("./condense-call.ts");

/** Creates the observer that records calls. Its `WriteBehind` queue says when traces are written, and what a killed process loses. */
export function createTraces(store: Store, { keep = 10_000, days = 30, onError }: TracesOptions = {}): Traces {
  const queue = createWriteBehind(store, {
    removeOld: (inside) => removeOld(inside, trace, { keep, days, time: "at" }),
    ...(onError && { onError }),
  });
  let storeWorkspace: string | undefined;
  /** Loaded at the first write. */
  let condensing: ReturnType<typeof loadCondenser> | undefined;
  const record = async ({ name, args, parent, context }: ObservedCall, { entry, outcome }: CallEnd, time: CallTime) => {
    const { intent, principal } = context;
    const workspace = intent?.workspaceId ?? (storeWorkspace ??= store.workspace);
    const held = await holdCall(isTooLarge(outcome) ? {} : args, intent, outcome);
    const ended = {
      ...held,
      ...time,
      tool: entry?.tool.name ?? copyText(name.slice(0, maxNameLength)),
      pack: entry?.facet,
      mutates: entry?.tool.mutates,
      outcome: outcome.ok ? "ok" : outcome.failure.code,
      isRefused: !outcome.ok && outcome.isRefused === true,
      principal,
      session: intent?.sessionId ?? context.session,
      batch: parent,
    };
    // Chosen once, so that a retry writes the same record.
    let id: string | undefined;
    queue.add({
      workspace,
      bytes: heldBytes(held),
      write: async (inside) => {
        condensing ??= loadCondenser();
        const { condenseCall } = await condensing;
        await inside.put(trace, condenseCall(ended), { id: (id ??= newRecordId()) });
      },
    });
  };
  return {
    flush: () => queue.flush(),
    async observer(call, run) {
      const began = Date.now();
      const start = performance.now();
      const end = await run(call.context);
      const ms = performance.now() - start;
      // The call has ended, so its outcome is returned in any case.
      if (isRecorded(end)) await record(call, end, { began, ms }).catch((error: unknown) => onError?.(error));
      return end;
    },
  };
}

type CallTime = Pick<EndedCall, "began" | "ms">;

/** Whether a call has a trace. The tools that call tools have none, since the calls that they make have. */
function isRecorded({ entry, outcome }: CallEnd): boolean {
  return entry?.facet !== coreFacet || (!outcome.ok && outcome.isRefused === true);
}

/** Whether dispatch refused the arguments for their size. Their trace has none, because reading the names of very many fields is slow. */
function isTooLarge(outcome: Outcome): boolean {
  return !outcome.ok && outcome.isRefused === true && outcome.failure.code === "too_large";
}

/** Bounds of arguments that are condensed only when the trace is written. */
const argsBounds = { maxCharacters: 4_000, maxDepth: 200 };
/** Maximum length of the name of an unknown tool. A trace shows less. */
const maxNameLength = 300;
/** Maximum length of an intent's text. A trace shows less. */
const maxIntentLength = 1_500;

async function holdCall(args: unknown, intent: Intent | undefined, outcome: Outcome): Promise<HeldCall> {
  const preview = copyText(outcomePreview(outcome));
  return { args: await holdArgs(args), intent: intent && holdIntent(intent), preview };
}

/** Memory for what the queue keeps of a call besides its texts. */
const entryBytes = 500;

/** The approximate memory that a call takes in the queue, in bytes. */
function heldBytes({ args, intent, preview }: HeldCall): number {
  const argsLength = ("json" in args ? args.json : args.condensed).length;
  return entryBytes + 2 * (argsLength + preview.length + (intent ? intentLength(intent) : 0));
}

async function holdArgs(args: unknown): Promise<HeldArgs> {
  if (measure(args, argsBounds).exceeded === undefined) return { json: JSON.stringify(args) };
  const { condenseArgs } = await loadCondenser();
  return { condensed: copyText(condenseArgs(args)) };
}

function holdIntent(intent: Intent): Intent {
  if (intentLength(intent) <= maxIntentLength) return intent;
  const { workspaceId, sessionId, memory, goal, constraints } = intent;
  const cut = (text: string) => copyText(text.slice(0, maxIntentLength));
  return {
    workspaceId,
    sessionId: cut(sessionId),
    memory: cut(memory),
    goal: cut(goal),
    ...(constraints !== undefined && { constraints: cut(constraints) }),
  };
}

function intentLength({ sessionId, memory, goal, constraints = "" }: Intent): number {
  return sessionId.length + memory.length + goal.length + constraints.length;
}

/** A copy of a text. A part of a text would keep the whole text in memory. */
function copyText(text: string): string {
  return Buffer.from(text).toString();
}

/** Three times the length in a trace: later steps remove spaces, and check some characters after the cut for secrets. */
const maxPreviewLength = 1_200;

/** The beginning of the text that a caller read of an outcome. */
export function outcomePreview(outcome: Outcome): string {
  const text = outcome.ok ? outcome.text : outcome.failure.message;
  const shown = text !== "" ? text : (outcome.blocks ?? []).map(blockText).join(" ");
  return shown.slice(0, maxPreviewLength);
}

function blockText(block: { readonly type: string; readonly text?: unknown }): string {
  return typeof block.text === "string" ? block.text.slice(0, maxPreviewLength) : `[${block.type}]`;
}
