import { setTimeout as delay } from "node:timers/promises";
import { postgres } from "@toolpacks/store-postgres";
import { databaseBehindProxy } from "@toolpacks/store-postgres/fixture";
import { note } from "@toolpacks/planner";
import { expect, test } from "vitest";
import { runMixedLoad } from "./mixed-load.fixture.ts";
import { startHttp, tokenFile } from "./http-server.process.fixture.ts";
import { startLoadBalancer } from "./replicas.process.fixture.ts";

/** The campaign runs longer. */
const seconds = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 8 : 60;

interface Disturbance {
  readonly from: number;
  to: number;
}

test("three replicas lose nothing when one is killed and PostgreSQL restarts", async () => {
  const database = await databaseBehindProxy();
  const { file, tokens } = await tokenFile({ ada: ["--workspaces", "ada"], bob: ["--workspaces", "bob"] });
  const start = () => startHttp(["--store", database.address, "--tokens", file, "--results", "both"]);
  const replicas = [await start(), await start(), await start()];
  const balancer = await startLoadBalancer(replicas);
  const disturbances: Disturbance[] = [];
  const disturb = async (work: () => Promise<void>, settleMs: number) => {
    const one = { from: Date.now(), to: Infinity };
    disturbances.push(one);
    await work();
    one.to = Date.now() + settleMs;
  };
  const report = await runMixedLoad({
    url: balancer.url,
    callers: Object.entries(tokens).map(([name, token]) => ({ name, token })),
    clients: 64,
    ms: seconds * 1_000,
    mayFail: (began, ended) => disturbances.some(({ from, to }) => began <= to && ended >= from),
    async meanwhile() {
      await delay(seconds * 250);
      await disturb(async () => replicas[0]?.kill(), 0);
      balancer.use(replicas.slice(1));
      await delay(seconds * 250);
      await disturb(async () => {
        await database.stop();
        await database.start();
      }, 1_000);
    },
  });
  const store = postgres(database.address);
  try {
    expect(report).toMatchObject({ errors: [], wrong: [], crossed: [] });
    expect(report.calls).toBeGreaterThan(seconds * 20);
    for (const [name, notes] of report.notes) {
      expect(notes.size).toBeGreaterThan(seconds);
      for (const [id, text] of notes) {
        expect((await store.in(name).get(note, id))?.data).toMatchObject({ text });
      }
    }
    for (const replica of replicas.slice(1)) expect(await replica.close()).toBe(0);
    expect(await store.check()).toEqual([]);
  } finally {
    await store.end();
    await balancer.close();
    await database.remove();
  }
}, 240_000);
