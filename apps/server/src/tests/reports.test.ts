import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { initialize } from "../initialize.fixture.ts";
import { serveRaw, serverTransport } from "../serve.fixture.ts";

const tenReads = Array.from({ length: 10 }, () => ({ tool: "store_query", params: { kind: "note" } }));

test("every run of a server that ended has a report with the id of its answer", async () => {
  const cwd = folder();
  const server = serveRaw(["--store", "store.db", "--results", "structured"], { cwd });
  server.send(initialize);
  await server.answer(1);
  server.send({ method: "notifications/initialized" });
  const ids = Array.from({ length: 20 }, (_, at) => at + 2);
  const params = { name: "workflow_eval", arguments: { steps: tenReads } };
  const answered: string[] = [];
  for (const id of ids) {
    server.send({ id, method: "tools/call", params });
    const { result } = (await server.answer(id)) as { result: { structuredContent: { report: string } } };
    answered.push(result.structuredContent.report);
  }
  server.end();
  expect(await server.ended).toBe(0);
  const { stdout } = await run(["export", "--store", "store.db"], { cwd });
  const kept = stdout.split("\n").filter((line) => line.startsWith('{"kind":"report","workspace"'));
  expect(kept.map((line) => (JSON.parse(line) as { id: string }).id).toSorted((a, b) => a.localeCompare(b))).toEqual(
    answered.toSorted((a, b) => a.localeCompare(b)),
  );
});

test("another server finds a run soon after its answer", async () => {
  const cwd = folder();
  const connect = async () => {
    const client = new Client({ name: "test", version: "1.0.0" });
    const args = ["--trust", "--store", path.join(cwd, "store.db"), "--results", "structured"];
    await client.connect(serverTransport(args, { cwd }));
    return client;
  };
  const [one, other] = await Promise.all([connect(), connect()]);
  const evaluate = async () => {
    const { structuredContent } = await one.callTool({ name: "workflow_eval", arguments: { steps: tenReads } });
    return (structuredContent as { report: string }).report;
  };
  await evaluate();
  const last = await evaluate();
  const call = { name: "tool_read", arguments: { name: "workflow_report", args: { report: last } } };
  const status = async () => ((await other.callTool(call)).structuredContent as { status?: string })?.status;
  await expect.poll(status, { timeout: 2_000 }).toBe("ok");
  await Promise.all([one.close(), other.close()]);
});

test("the config file limits the number of reports, also for calls from the command line", async () => {
  const cwd = folder({ "toolpacks.config.json": '{"packs":{"workflows":{"reports":{"keep":2}}}}' });
  for (let at = 0; at < 4; at += 1) {
    const { code } = await run(["call", "workflow_eval", JSON.stringify({ steps: tenReads }), "--store", "store.db"], {
      cwd,
    });
    expect(code).toBe(0);
  }
  const { stdout } = await run(["export", "--store", "store.db"], { cwd });
  expect(stdout.split("\n").filter((line) => line.startsWith('{"kind":"report","workspace"'))).toHaveLength(2);
});

test("a run whose failed steps continue ends a command with exit code 0, and its trace is no failure", async () => {
  const fails = { tool: "note_show", params: { id: "none" } };
  const workflows = {
    soft: { steps: [{ ...fails, onError: "continue" }, ...tenReads.slice(0, 2)] },
    hard: { steps: [fails] },
  };
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ workflows }) });
  const call = (tool: string, args: object) =>
    run(["call", tool, JSON.stringify(args), "--store", "store.db"], { cwd });
  const soft = await call("workflow_run", { name: "soft" });
  expect(soft.stdout).toMatch(/^soft ok, report \w+: 1 failed \(continued\), 2 ok$/m);
  expect([soft.code, (await call("workflow_run", { name: "hard" })).code]).toEqual([0, 1]);
  const traced = await call("trace_timeline", { tool: "workflow_run", count_by: "outcome" });
  expect(traced.stdout).toContain("\nfailed (not_found): 1 call, 1 mutating\nok: 1 call, 1 mutating\n");
});
