import { connect, contestants, percentile } from "./connection.ts";

/** Time from start to the `tools/list` response. Servers run in turns, so that noise affects all of them. */
export async function measureStartUp(runs = 20): Promise<void> {
  const times = contestants.map((): number[] => []);
  for (let run = 0; run <= runs; run += 1) {
    for (const [at, contestant] of contestants.entries()) {
      const started = performance.now();
      const client = await connect(contestant.args);
      await client.listTools();
      // The first run only warms the disk and the compile cache.
      if (run > 0) times[at]?.push(performance.now() - started);
      await client.close();
    }
  }
  const medians = times.map((of) => percentile(of, 0.5));
  console.log(`start to answered tools/list, median of ${runs}`);
  console.table(
    contestants.map(({ name }, at) => ({
      server: name,
      ms: medians[at]?.toFixed(1),
      ratio: ((medians[at] ?? 0) / (medians[0] ?? 1)).toFixed(2),
    })),
  );
}
