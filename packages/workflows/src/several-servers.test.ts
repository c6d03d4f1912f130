import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { OwnedStore } from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase, type TestDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { afterAll, describe, expect, test } from "vitest";
import { openBench } from "./bench.fixture.ts";
import { runningHere } from "./report/owner.ts";
import { reportKind } from "./report/report-kind.ts";

/** Started by the first test that needs it. Each test has its own schema. */
let server: Promise<TestDatabase> | undefined;
let schemas = 0;
afterAll(async () => (await server)?.remove());

interface Shared {
  open(): OwnedStore;
  remove(): Promise<void>;
}

const databases: Readonly<Record<string, () => Promise<Shared>>> = {
  async SQLite() {
    const folder = mkdtempSync(path.join(tmpdir(), "several-servers-"));
    return {
      open: () => sqlite(path.join(folder, "store.db")),
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    };
  },
  async PostgreSQL() {
    server ??= createDatabase();
    const { address } = await server;
    const schema = `several_${(schemas += 1)}`;
    return { open: () => postgres(address, { schema }), remove: async () => {} };
  },
};

const definitions = {
  mixed: { steps: [{ tool: "test_noop" }, { tool: "test_write" }, { tool: "test_long" }, { tool: "test_noop" }] },
  stuck: { steps: [{ tool: "test_write" }, { tool: "test_refuse" }] },
};

describe.each(Object.entries(databases))("several servers on one store in %s", (_, create) => {
  test("give every run its own report", async () => {
    const shared = await create();
    const servers = await Promise.all([1, 2, 3].map(() => openBench({ store: shared.open(), definitions })));
    const runs = servers.flatMap(({ call }) =>
      Array.from({ length: 8 }, () => call("workflow_run", { name: "mixed" })),
    );
    const answers = await Promise.all(runs);
    expect(answers.map(({ value }) => value["status"])).toEqual(answers.map(() => "ok"));
    const ids = new Set(answers.map(({ value }) => value.report));
    expect(ids.size).toBe(24);
    const reports = await servers[0]?.store.query(reportKind, { limit: 100 });
    expect(new Set(reports?.items.map(({ id }) => id))).toEqual(ids);
    for (const report of ids) {
      const { value } = (await servers[1]?.call("workflow_report", { report })) ?? {};
      expect(value?.steps?.map(({ status }) => status)).toEqual(["ok", "ok", "ok", "ok"]);
    }
    await Promise.all(servers.map((server) => server.close()));
    await shared.remove();
  });

  test("resume a run only once, on any server", async () => {
    const shared = await create();
    const servers = await Promise.all([1, 2].map(() => openBench({ store: shared.open(), definitions })));
    const failed = await servers[0]?.call("workflow_run", { name: "stuck" });
    const resume = failed?.value.report;
    const answers = await Promise.all(
      servers.flatMap(({ call }) => [1, 2].map(() => call("workflow_run", { resume }))),
    );
    expect(answers.filter(({ value }) => value.report !== undefined)).toHaveLength(1);
    expect(answers.filter(({ text }) => text.startsWith("conflict"))).toHaveLength(3);
    expect(servers.flatMap(({ done }) => done.calls).filter((call) => call === "test_write")).toHaveLength(1);
    expect(runningHere.size).toBe(0);
    await Promise.all(servers.map((server) => server.close()));
    await shared.remove();
  });
});
