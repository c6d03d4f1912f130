import type { Client } from "@modelcontextprotocol/client";
import { percentile } from "./connection.ts";

/** One way to make a call. */
export interface Way {
  readonly way: string;
  readonly start: () => Promise<Client>;
  readonly call: { readonly name: string; readonly arguments: Record<string, unknown> };
}

/**
 * Makes the same call in several ways in turn, the first of which the others are compared to. Each is started several times: how fast
 * processes wake one another depends on where the system has put them, and the median of one start can be twice that of the next. So the mean
 * is what to go by, which is what many calls take together: of times around two values, the median is now the one and now the other.
 */
export async function measureWays(
  ways: readonly Way[],
  { starts = 10, rounds = 5, warmUp = 10, callsPerRound = 200 } = {},
) {
  const times = ways.map((): number[] => []);
  for (let n = 0; n < starts; n += 1) {
    const clients: Client[] = [];
    for (const { start } of ways) clients.push(await start());
    for (let round = 0; round < warmUp + rounds; round += 1) {
      for (const [at, { call }] of ways.entries()) {
        const client = clients[at] as Client;
        const taken = await timeCalls(client, call, callsPerRound);
        if (round >= warmUp) times[at]?.push(...taken);
      }
    }
    await Promise.all(clients.map((client) => client.close()));
  }
  const p50 = times.map((of) => percentile(of, 0.5));
  return ways.map(({ way, call }, at) => ({
    call: call.name,
    way,
    meanMs: mean(times[at] ?? []).toFixed(3),
    p50Ms: p50[at]?.toFixed(3),
    p10Ms: percentile(times[at] ?? [], 0.1).toFixed(3),
    p90Ms: percentile(times[at] ?? [], 0.9).toFixed(3),
    meanToFirst: (mean(times[at] ?? []) / mean(times[0] ?? [])).toFixed(2),
    p50ToFirst: ((p50[at] ?? 0) / (p50[0] ?? 1)).toFixed(2),
  }));
}

function mean(times: readonly number[]): number {
  return times.reduce((sum, time) => sum + time, 0) / times.length;
}

async function timeCalls(client: Client, call: Way["call"], calls: number): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < calls; n += 1) {
    const started = performance.now();
    const result = await client.callTool(call);
    times.push(performance.now() - started);
    if (result.isError === true) throw new Error(JSON.stringify(result.content));
  }
  return times;
}
