import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client } from "@modelcontextprotocol/client";
import { afterEach, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const workflows = {
  later: {
    steps: [
      { id: "pause", wait: { for: "0.2s" } },
      { step: "value", params: { text: "woken" } },
    ],
  },
  release: {
    input: { version: "string" },
    steps: [
      { id: "go", ask: "Release ${input.version}?", choices: ["yes", "no"] },
      { step: "value", params: { text: "${steps.go.answer} to ${input.version}" } },
    ],
  },
  triage: {
    on: [{ kind: "issue", filter: { issue_type: "bug" } }],
    steps: [{ step: "value", params: { text: "triaged ${input.event.id}" } }],
  },
  done: {
    input: { id: "string" },
    steps: [{ wait: { issue: "${input.id}" } }, { step: "value", params: { text: "closed" } }],
  },
};

interface Report {
  readonly status: string;
  readonly report: string;
  readonly resumedBy?: string;
  readonly results?: Record<string, { text?: string }>;
}

const clients: Client[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

function project(more: object = {}) {
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ workflows: { ...workflows, ...more } }) });
  return { cwd, env: { TOOLPACKS_STORE: path.join(cwd, "store.db"), TOOLPACKS_WORKSPACE: "w" } };
}

/** Starts a server, and resolves to a function that calls its tools. */
async function serve({ cwd, env }: { cwd: string; env: Record<string, string> }, ...flags: readonly string[]) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(serverTransport(["--surface", "direct", ...flags], { cwd, env }));
  clients.push(client);
  return async <Value>(name: string, args: Record<string, unknown> = {}) =>
    (await client.callTool({ name, arguments: args })).structuredContent as Value;
}

const waitLong = { timeout: 20_000, interval: 100 };

test("a server wakes a run that waits for a time, and one that waits for an issue", async () => {
  const call = await serve(project());
  const { items } = await call<{ items: { id: string }[] }>("issue_create", { issues: [{ title: "Mend it" }] });
  const id = items[0]?.id ?? "";
  const later = await call<Report>("workflow_run", { name: "later" });
  const done = await call<Report>("workflow_run", { name: "done", input: { id } });
  expect([later.status, done.status]).toEqual(["waiting", "waiting"]);
  const last = (workflow: string) => call<Report>("workflow_report", { workflow });
  await expect
    .poll(() => last("later"), waitLong)
    .toMatchObject({ status: "ok", results: { step2: { text: "woken" } } });
  expect(await last("done")).toMatchObject({ status: "waiting" });
  await call("issue_close", { ids: [id] });
  await expect.poll(() => last("done"), waitLong).toMatchObject({ status: "ok" });
});

test("one of two servers goes on with a run that a command began, and starts a workflow after a change of a record", async () => {
  const place = project();
  const began = await run(["workflows", "run", "later"], place);
  expect(began.code).toBe(0);
  const [call, other] = [await serve(place), await serve(place)];
  const last = (workflow: string) => call<Report>("workflow_report", { workflow });
  await expect.poll(() => last("later"), waitLong).toMatchObject({ status: "ok" });
  // A trigger begins with the first look of a clock.
  const report = async () => {
    await other("issue_create", { issues: [{ title: "x", issue_type: "bug" }] });
    return last("triage");
  };
  const triaged = { status: "ok", results: { step1: { text: expect.stringMatching(/^triaged bd-/) } } };
  await expect.poll(report, waitLong).toMatchObject(triaged);
});

test("the commands list, show and answer a run that asks", async () => {
  const place = project();
  const toolpacks = (...args: readonly string[]) => run(["workflows", ...args], place);
  const began = await toolpacks("run", "release", "--input.version", "2.0", "--json");
  expect(began.code).toBe(0);
  const { report: id, status } = JSON.parse(began.stdout) as Report;
  expect(status).toBe("waiting");
  expect((await toolpacks("list")).stdout).toContain(id);
  expect((await toolpacks("report", id)).stdout).toMatch(/release waiting[^]*Release 2\.0\?/);
  const answer = (text: string) => toolpacks("run", "--resume", id, "--answer", text);
  expect(await answer("maybe")).toMatchObject({
    code: 1,
    stderr: expect.stringContaining("answer: expected one of yes, no"),
  });
  expect(await answer("yes")).toMatchObject({ code: 0, stdout: expect.stringContaining("yes to 2.0") });
  expect((await answer("no")).stderr).toContain("was resumed already");
});

test("a server without runs that wait neither creates a store nor gives its folder a workspace", async () => {
  const place = project();
  const env = { TOOLPACKS_STORE: place.env.TOOLPACKS_STORE };
  const config = { workflows: { later: workflows.later } };
  for (const hasStore of [false, true]) {
    if (hasStore) await run(["call", "issue_list"], place);
    const cwd = folder({ "toolpacks.config.json": JSON.stringify(config) });
    mkdirSync(path.join(cwd, ".git"));
    writeFileSync(path.join(cwd, ".git", "HEAD"), "ref: refs/heads/main\n");
    const call = await serve({ cwd, env }, "--root", ".");
    await wait(2_500);
    expect(existsSync(env.TOOLPACKS_STORE)).toBe(hasStore);
    expect(readdirSync(path.join(cwd, ".git"))).toEqual(["HEAD"]);
    await call("issue_list");
    expect(readdirSync(path.join(cwd, ".git"))).toContain("toolpacks-workspace");
    rmSync(env.TOOLPACKS_STORE, { force: true });
  }
});

test("an untrusted config file starts no workflow by itself", async () => {
  const place = project();
  const { stdout } = await run(["workflows", "list", "--json"], { ...place, isTrusted: false });
  const names = (JSON.parse(stdout) as { items: { name: string }[] }).items.map(({ name }) => name);
  expect(names).toContain("later");
  expect(names).not.toContain("triage");
});
