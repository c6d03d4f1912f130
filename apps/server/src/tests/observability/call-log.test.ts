import { describe, expect, test } from "vitest";
import { serveObserved } from "./observed.fixture.ts";

const eras = ["2025", "2026-07-28"] as const;
const secret = "canary-7f3a9c";
const authInfo = {
  token: `token-${secret}`,
  clientId: "client",
  scopes: [],
  extra: { iss: "https://issuer.example", sub: "alice" },
};

describe.each(eras)("the log of calls over HTTP, protocol %s,", (era) => {
  test("has one line for each call, also for refused ones, with the caller and without its arguments", async () => {
    const { client, calls } = await serveObserved({ era, authInfo, flags: { deny: ["canary_bug"] } });
    const call = (name: string, args: Record<string, unknown> = {}) => client.callTool({ name, arguments: args });
    await call("tool_search", { query: "repeat a text" });
    await call("tool_invoke", { name: "canary_echo", args: { text: "x" } });
    await call("tool_invoke", { name: "canary_echo_old", args: { wrong: "x" } });
    await call("canary_echo", { text: "x" });
    await call("canary_bug");
    await call("no_such\u001B[31m\nline".padEnd(10_000, "x"));
    expect(calls().map(({ tool, facet, outcome }) => [tool, facet, outcome])).toEqual([
      ["tool_search", "core", "ok"],
      ["canary_echo", "canary", "ok"],
      ["tool_invoke", "core", "ok"],
      ["canary_echo", "canary", "invalid_input"],
      ["tool_invoke", "core", "invalid_input"],
      ["canary_echo", "canary", "ok"],
      ["canary_bug", "canary", "denied"],
      [`no_such??31m?line${"x".repeat(47)}`, undefined, "not_found"],
    ]);
    const [search, inner, invoke] = calls();
    expect(search).toEqual({
      level: "info",
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      replica: expect.stringMatching(new RegExp(`-${process.pid}$`)),
      call: expect.any(String),
      request: expect.any(String),
      principal: "alice",
      issuer: "https://issuer.example",
      tool: "tool_search",
      facet: "core",
      ms: expect.any(Number),
      outcome: "ok",
      msg: "call",
    });
    expect(inner?.["parent"]).toBe(invoke?.["call"]);
    expect(inner?.["request"]).toBe(invoke?.["request"]);
    expect(invoke?.["parent"]).toBeUndefined();
    expect(new Set(calls().map((one) => one["call"])).size).toBe(8);
  });

  test("holds no argument, result, message of a failure or token", async () => {
    const { client, calls, log } = await serveObserved({ era, authInfo });
    const anonymous = await serveObserved({ era, authInfo: { token: `token-${secret}`, clientId: "c", scopes: [] } });
    for (let n = 0; n < 25; n += 1) {
      await client.callTool({ name: "canary_echo", arguments: { text: secret, [secret]: n } });
      await client.callTool({ name: "tool_invoke", arguments: { name: "canary_echo", args: { wrong: secret } } });
      await client.callTool({ name: "canary_fail", arguments: { text: secret } });
      await anonymous.client.callTool({ name: "canary_fail", arguments: { text: `code-${secret}` } });
    }
    expect(calls()).toHaveLength(100);
    expect(new Set(calls().map(({ outcome }) => outcome))).toEqual(new Set(["ok", "invalid_input", "conflict"]));
    expect(anonymous.calls()).toHaveLength(25);
    expect(new Set(anonymous.calls().map(({ outcome, principal }) => [outcome, principal].join()))).toEqual(
      new Set([expect.stringMatching(/^internal,sha256:[\da-f]{16}$/)]),
    );
    expect(`${log()}${anonymous.log()}`).not.toContain(secret);
  });
});

test("calls of a batch and of a workflow have lines with the id of their parent", async () => {
  const workflows = {
    pair: {
      description: "Two calls.",
      steps: [{ tool: "canary_echo" }, { tool: "canary_fail", params: { text: "x" } }],
    },
  };
  const { client, calls } = await serveObserved({
    flags: { surface: "two-tool" },
    config: { workflows },
  });
  const context = { sessionId: "s", memory: "m", goal: "g" };
  const echo = { pack: "canary", tool: "canary_echo", params: { text: "x" } };
  const run = { pack: "workflows", tool: "workflow_run", params: { name: "pair" } };
  await client.callTool({ name: "useTools", arguments: { context, calls: [echo, run], strategy: "parallel" } });
  const byTool = (name: string) => calls().filter(({ tool }) => tool === name);
  const [batch] = byTool("useTools");
  const [workflow] = byTool("workflow_run");
  expect(calls()).toHaveLength(5);
  expect(batch?.["parent"]).toBeUndefined();
  expect(workflow?.["parent"]).toBe(batch?.["call"]);
  expect(new Set(byTool("canary_echo").map(({ parent }) => parent))).toEqual(
    new Set([batch?.["call"], workflow?.["call"]]),
  );
  expect(byTool("canary_fail").map(({ parent, outcome }) => [parent, outcome])).toEqual([
    [workflow?.["call"], "conflict"],
  ]);
});

test("the whole log consists of JSON lines, and calls are not logged at the level warn", async () => {
  const { client, runtime, log } = await serveObserved({ flags: { logLevel: "warn" } });
  await client.callTool({ name: "canary_echo", arguments: {} });
  expect(log()).toBe("");
  await client.callTool({ name: "canary_bug", arguments: {} });
  runtime.log.warn("first\nsecond \u001B[31m\u202E");
  const [bug, warning, ...others] = log()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(bug).toMatchObject({
    level: "error",
    msg: "canary_bug failed",
    cause: expect.arrayContaining(["Error: a bug"]),
  });
  expect(warning).toMatchObject({ level: "warn", msg: "first\\u{a}second \\u{1b}[31m\\u{202e}" });
  expect(others).toEqual([]);
});

test("a bug in a step of a workflow is a JSON line of the log", async () => {
  const broken = { description: "Fails.", steps: [{ id: "first", step: "canary_step", params: {} }] };
  const { client, log } = await serveObserved({ config: { workflows: { broken } } });
  await client.callTool({ name: "tool_invoke", arguments: { name: "workflow_run", args: { name: "broken" } } });
  const lines = log()
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines.filter(({ level }) => level === "error")).toEqual([
    expect.objectContaining({ msg: "step first failed", cause: expect.arrayContaining(["Error: a bug of a step"]) }),
  ]);
});
