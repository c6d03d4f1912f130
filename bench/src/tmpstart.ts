import { connect, percentile } from "./connection.ts";
const t: Record<string, number[]> = {};
for (let i = 0; i < 21; i++)
  for (const c1 of ["off", "on"]) {
    const s = performance.now();
    const c = await connect([
      `/work/wt-workflows/apps/server/dist/cli.js`,
      "--root",
      "/work/wt-workflows/bench",
      "--log-level",
      "silent",
      "--store",
      "/tmp/wfprobe/s.db",
      "--config",
      `/tmp/wfprobe/${c1}.config.json`,
    ]);
    await c.listTools();
    if (i > 0) (t[c1] ??= []).push(performance.now() - s);
    await c.close();
  }
for (const [d, x] of Object.entries(t)) console.log(d, percentile(x, 0.5).toFixed(1), percentile(x, 0.2).toFixed(1));
process.exit(0);
