import { setTimeout as sleep } from "node:timers/promises";
import { listedTools, withTimeout, type Interceptor, type Outcome } from "@toolpacks/core";
import { exampleCalls, type ExampleCalls } from "../rules/examples.ts";
import { connectPack, type Host } from "../hosts.ts";
import { withPack, type CreatePack } from "../pack-under-test.ts";
import { silentDispatcher } from "./silent-dispatch.ts";

/** A call that runs for at least a second unless it is cancelled. */
export interface SlowCall {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** Maximum time for a handler to stop, in ms. */
const stopTimeoutMs = 1_000;
/** Time for a call to start, in ms. */
const startMs = 100;

/** A call cancelled before it starts does not start; one cancelled at once ends soon, done or `cancelled`. */
export async function cancellationProblems(create: CreatePack, examples: ExampleCalls): Promise<readonly string[]> {
  const problems: string[] = [];
  const tools = await withPack(create, ({ pack }) => listedTools(pack));
  for (const tool of tools) {
    const [args] = exampleCalls(tool, examples);
    if (args === undefined) continue;
    const before = await cancelled({ create, name: tool.name, args }, true);
    if (before !== "cancelled") problems.push(`${tool.name}: a call cancelled before it started answered ${before}`);
    const during = await cancelled({ create, name: tool.name, args }, false);
    if (!["ok", "cancelled"].includes(during))
      problems.push(`${tool.name}: a call cancelled at once answered ${during}`);
  }
  return problems;
}

function cancelled(
  { create, name, args }: { create: CreatePack; name: string; args: Readonly<Record<string, unknown>> },
  before: boolean,
): Promise<string> {
  return withPack(create, async ({ pack }) => {
    await listedTools(pack);
    const controller = new AbortController();
    if (before) controller.abort();
    const outcome = silentDispatcher(pack).dispatch({ name, args, context: { signal: controller.signal } });
    if (!before) setImmediate(() => controller.abort());
    const settled = await withTimeout(outcome, { ms: stopTimeoutMs + startMs, onTimeout: () => undefined });
    return settled === undefined ? `nothing for ${stopTimeoutMs} ms` : codeOf(settled);
  });
}

/** A client's cancellation of a running call reaches the handler, which stops. */
export function slowCallProblems(create: CreatePack, slow: SlowCall, host: Host): Promise<readonly string[]> {
  return withPack(create, async ({ pack }) => {
    let started: Promise<Outcome> | undefined;
    const watch: Interceptor = (call, next) => (started = next(call));
    const connection = await connectPack(pack, host, { interceptors: [watch] });
    try {
      const controller = new AbortController();
      const answer = connection.callTool(slow.tool, slow.args, { signal: controller.signal }).catch(() => undefined);
      await sleep(startMs);
      if (started === undefined) return [`${slow.tool}: the slow call did not start in ${startMs} ms`];
      const early = await withTimeout(started, { ms: 0, onTimeout: () => undefined });
      if (early !== undefined) return [`${slow.tool}: the slow call answered ${codeOf(early)} before it was cancelled`];
      controller.abort();
      const outcome = await withTimeout(started, { ms: stopTimeoutMs, onTimeout: () => undefined });
      if (outcome === undefined) return [`${slow.tool}: still running ${stopTimeoutMs} ms after it was cancelled`];
      await answer;
      return codeOf(outcome) === "cancelled" ? [] : [`${slow.tool}: cancelled, but answered ${codeOf(outcome)}`];
    } finally {
      await connection.close();
    }
  });
}

function codeOf(outcome: Outcome): string {
  return outcome.ok ? "ok" : outcome.failure.code;
}
