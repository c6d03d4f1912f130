import { ToolError } from "@toolpacks/core";
import { processIo } from "../io.ts";
import type { Flags } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { applySync, type AppliedSync, type SyncContext } from "../issues-sync/apply-sync.ts";
import type { Side } from "../issues-sync/compare-fields.ts";
import { readIssues, readLinks } from "../issues-sync/local-issues.ts";
import { planSync, type SyncChange, type SyncPlan } from "../issues-sync/plan-sync.ts";
import { describePlan, renderPlan } from "../issues-sync/render-plan.ts";
import { readSyncSetting, type SyncSetting } from "../issues-sync/sync-setting.ts";
import { TrackerError } from "../issues-sync/tracker-error.ts";
import { openTracker } from "../issues-sync/tracker.ts";
import { createRuntime, type Runtime } from "../mount/runtime.ts";
import { printProgress } from "../print-terminal.ts";
import { print, printError, printJson } from "../print.ts";
import { withLease } from "@toolpacks/upstream/shared-state";
import { showWaiting } from "./announce-waiting.ts";
import type { CallOutcome } from "./tool-requests.ts";

export interface SyncFlags extends Flags {
  readonly apply?: boolean;
  readonly create?: boolean;
  readonly resolve?: Side;
  readonly only?: readonly string[];
  /** Maximum seconds of all waits for rate limits. */
  readonly maxWait: number;
  readonly json?: boolean;
}

/**
 * `toolpacks issues sync`: shows what a synchronization with another tracker would change, and changes it with `--apply`. The exit code is 1 when something
 * failed, is left, or is a conflict.
 */
export async function syncIssues(name: string, flags: SyncFlags): Promise<void> {
  const runtime = await createRuntime(flags, {
    quiet: "error",
    narrow: (settings) => {
      const { server } = readSyncSetting(settings, name);
      const servers = Object.entries(settings.mcpServers).filter(([one]) => one === server);
      return { ...settings, mcpServers: Object.fromEntries(servers) };
    },
  });
  const interrupted = new AbortController();
  const interrupt = () => interrupted.abort();
  process.once("SIGINT", interrupt);
  try {
    const read = readSyncSetting(runtime.settings, name);
    const setting = flags.create === true ? withCreation(read) : read;
    await synchronize(setting, { runtime, flags, signal: interrupted.signal });
  } finally {
    process.off("SIGINT", interrupt);
    await runtime.finish();
  }
}

/** Number of changes between two lines of progress. */
const progressStep = 25;

function withCreation(setting: SyncSetting): SyncSetting {
  if (setting.mapping.create !== undefined) return { ...setting, create: true };
  throw new ConfigurationError(`--create: the tracker of ${setting.name} has no create`);
}

interface Synchronization {
  readonly runtime: Runtime;
  readonly flags: SyncFlags;
  readonly signal: AbortSignal;
}

async function synchronize(setting: SyncSetting, { runtime, flags, signal }: Synchronization): Promise<void> {
  const { store, settings } = runtime;
  if (flags.apply === true && settings.readOnly.value) {
    throw new ConfigurationError(`--apply: ${settings.readOnly.origin} refuses all changes`);
  }
  const { call, callTracker, stop } = createCalls(setting, runtime, signal);
  const tracker = await openTracker(setting, callTracker, {
    maxWaitMs: flags.maxWait * 1_000,
    signal,
    onWait: (ms) => printError(`toolpacks: rate limit of ${setting.server}: waiting ${Math.ceil(ms / 1_000)} s`),
  });
  const plan = async () => {
    const items = await tracker.list();
    const [issues, links] = [await readIssues(store, setting), await readLinks(store, setting.name)];
    const state = { setting, issues, items, links, resolve: flags.resolve, now: Date.now() };
    return onlyNamed(planSync(state), setting, flags.only);
  };
  const apply = async () => {
    const planned = await plan();
    const progress = (done: number, total: number) => {
      if (done % progressStep === 0 || done === total) printProgress(`${done} of ${total}`, done === total);
    };
    const context: SyncContext = { setting, tracker, store, call, signal, progress };
    show(planned, setting, { flags, applied: await applySync(planned.changes, context) });
  };
  try {
    // A second process would create the same issues.
    const lease = { store: store.internal(), id: `issues-sync ${store.workspace} ${setting.name}` };
    if (flags.apply === true) await withLease(lease, apply);
    else show(await plan(), setting, { flags });
  } catch (error) {
    if (error instanceof TrackerError) throw listFailure(error);
    throw error;
  } finally {
    stop();
  }
}

/** A list that failed in the middle is not used: what it lacks would look deleted. */
function listFailure({ message, effect }: TrackerError): ToolError {
  const hint =
    effect === "limited"
      ? "Nothing was changed. Run again later, or with a longer --max-wait."
      : "Nothing was changed.";
  return new ToolError("unavailable", message, hint);
}

/** Creates the functions that call tools by dispatch. */
function createCalls({ server }: SyncSetting, runtime: Runtime, signal: AbortSignal) {
  const remote = runtime.mounting.upstreams.find(({ name }) => name === server)?.remote;
  if (remote === undefined)
    throw new ConfigurationError(`issuesSync: server: no server in mcpServers is named "${server}"`);
  const waiting = showWaiting(processIo());
  const call = async (tool: string, args: Readonly<Record<string, unknown>>): Promise<CallOutcome> => {
    const servers = runtime.mounting.upstreams.filter((pack) => tool.startsWith(pack.remote.prefix));
    waiting.update(servers.map(({ name }) => name));
    try {
      await Promise.all(servers.map((pack) => pack.ready()));
      return await runtime.surface.call({ name: tool, args, context: { signal, resultMode: "full" } });
    } finally {
      waiting.update([]);
    }
  };
  const callTracker: typeof call = (tool, args) =>
    call(tool.startsWith(remote.prefix) ? tool : remote.prefix + tool, args);
  return { call, callTracker, stop: () => waiting.stop() };
}

/** The changes of the named issues only. */
function onlyNamed(plan: SyncPlan, { mapping }: SyncSetting, only: readonly string[] | undefined): SyncPlan {
  if (only === undefined) return plan;
  const isNamed = (change: SyncChange) =>
    (change.kind !== "create-here" && only.includes(change.issue.id)) ||
    (change.kind !== "create-there" && only.includes(mapping.refPrefix + change.item.ref));
  return { ...plan, changes: plan.changes.filter(isNamed) };
}

interface Shown {
  readonly flags: SyncFlags;
  /** Absent for a dry run. */
  readonly applied?: AppliedSync;
}

function show(plan: SyncPlan, setting: SyncSetting, { flags, applied }: Shown): void {
  const described = describePlan(plan, setting);
  const { conflicts } = described;
  if (flags.json === true) printJson({ ...described, applied: applied ?? false }, 2);
  else {
    print(...renderPlan(described));
    if (conflicts.length > 0) print("to decide conflicts: edit one side, or --apply --resolve here|there --only <id>");
    if (applied === undefined && plan.changes.length > 0) print("with --apply the changes are made");
    if (applied !== undefined) showApplied(applied);
  }
  if (applied === undefined) return;
  if (applied.failures.length > 0 || applied.left > 0 || conflicts.length > 0) process.exitCode = 1;
}

function showApplied({ done, failures, left, stopped }: AppliedSync): void {
  for (const { issue, ref, problem } of failures)
    printError(`failed: ${[issue, ref].filter(Boolean).join(", ")}: ${problem}`);
  print(`done ${done}, failed ${failures.length}, left ${left}`);
  if (stopped !== undefined) printError(`stopped: ${stopped}; run again for the rest`);
}
