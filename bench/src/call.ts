import { connect, contestants, percentile } from "./connection.ts";

/** Calls a tool that does nothing, one call after another: through `tool_invoke`, or directly on the bare server. */
export async function measureCalls(rounds = 10, callsPerRound = 500): Promise<void> {
  const clients = await Promise.all(contestants.map(({ args, callArgs = [] }) => connect([...args, ...callArgs])));
  const times = contestants.map((): number[] => []);
  for (let round = 0; round <= rounds; round += 1) {
    for (const [at, client] of clients.entries()) {
      const call = contestants[at]?.call;
      if (call === undefined) continue;
      for (let n = 0; n < callsPerRound; n += 1) {
        const started = performance.now();
        const result = await client.callTool(call);
        if (round > 0) times[at]?.push(performance.now() - started);
        if (result.isError === true) throw new Error(JSON.stringify(result.content));
      }
    }
  }
  await Promise.all(clients.map((client) => client.close()));
  const medians = times.map((of) => percentile(of, 0.5));
  console.log(`one call, median of ${rounds * callsPerRound}`);
  console.table(
    contestants.map(({ name }, at) => ({
      server: name,
      p50Ms: medians[at]?.toFixed(3),
      p99Ms: percentile(times[at] ?? [], 0.99).toFixed(3),
      ratio: ((medians[at] ?? 0) / (medians[0] ?? 1)).toFixed(2),
    })),
  );
}
