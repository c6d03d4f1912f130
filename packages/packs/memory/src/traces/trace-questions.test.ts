import {
  createCatalog,
  createDispatcher,
  definePack,
  defineTool,
  ToolError,
  type Dispatcher,
  type Intent,
} from "@toolpacks/core";
import { connectPack, resultText, type PackConnection } from "@toolpacks/testkit";
import { beforeEach, expect, test } from "vitest";
import { z } from "zod";
import { memory } from "../memory.ts";
import { emptyStore } from "../pack.fixture.ts";
import { createTraces } from "./create-traces.ts";

function box(name: string) {
  const tool = (verb: string, mutates: boolean) =>
    defineTool({
      name: `${name}_${verb}`,
      description: "Do it.",
      mutates,
      input: z.object({ id: z.int() }),
      output: z.object({}),
      text: () => "done",
      handler: ({ id }) => {
        if (id === 0) throw new ToolError("not_found", "id: there is no 0");
        if (id < 0) throw new ToolError("denied", "id: below 0");
        return {};
      },
    });
  const tools = [tool("show", false), tool("change", true)];
  return definePack({ name, description: "A box.", budget: 300, tools: () => tools })();
}

let client: PackConnection;
let dispatcher: Dispatcher;
beforeEach(async () => {
  const { store, remove } = emptyStore();
  const traces = createTraces(store);
  const pack = memory({ store, traces });
  const catalog = createCatalog({ packs: [pack, box("issue"), box("github")] });
  dispatcher = createDispatcher(catalog, { observers: [traces.observer] });
  client = await connectPack(pack, "sdk 2, protocol 2026-07-28");
  return async () => {
    await client.close();
    await remove();
  };
});

interface Why {
  readonly goal: string;
  readonly sessionId?: string;
  /** The id of the batch that makes the call. */
  readonly callId?: string;
}

const call = (name: string, id: unknown, why?: Why) => {
  const { callId, ...named } = why ?? {};
  const intent: Intent = { workspaceId: "default", sessionId: "s1", memory: "", goal: "", ...named };
  return dispatcher.dispatch({ name, args: { id }, context: { ...(why && { intent }), ...(callId && { callId }) } });
};

/** Calls a trace tool over the wire and returns its lines, without times and durations. */
const ask = async (name: string, args: Readonly<Record<string, unknown>>) =>
  resultText(await client.callTool(name, args))
    .split("\n")
    .map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:]{8} | \d+ ms/g, ""));

test("one call lists what changed something, in order of time, and says on its line which call failed or was refused", async () => {
  await call("issue_show", 1);
  await call("issue_change", 1);
  await call("github_change", 0);
  await call("github_change", -1);
  await call("issue_show", 0);
  await call("issue_change", 2);
  expect(await ask("trace_timeline", { mutates: true, oldest_first: true })).toEqual([
    'issue_change {"id":1} -> done',
    'github_change {"id":0} -> failed (not_found): id: there is no 0',
    'github_change {"id":-1} -> refused (denied): id: below 0',
    'issue_change {"id":2} -> done',
    "(2 of these 4 calls failed)",
  ]);
  expect(await ask("trace_timeline", { outcome: "failed" })).toEqual([
    'issue_show {"id":0} -> failed (not_found): id: there is no 0',
    'github_change {"id":-1} -> refused (denied): id: below 0',
    'github_change {"id":0} -> failed (not_found): id: there is no 0',
  ]);
  expect(await ask("trace_timeline", { outcome: "denied", mutates: true })).toHaveLength(1);
});

test("calls are found by the pack or server, and by the beginning of their tools' names", async () => {
  for (const name of ["issue_show", "issue_change", "github_show", "github_change"])
    await call(name, 1, { goal: "Paint" });
  const tools = async (name: string, args: Readonly<Record<string, unknown>>) =>
    (await ask(name, args)).flatMap((line) => /\w+_(?:show|change)/.exec(line) ?? []);
  const oldest = { oldest_first: true };
  expect(await tools("trace_timeline", { ...oldest, pack: "github" })).toEqual(["github_show", "github_change"]);
  expect(await tools("trace_timeline", { ...oldest, tool: "issue_*" })).toEqual(["issue_show", "issue_change"]);
  expect(await tools("trace_timeline", { ...oldest, tool: "*" })).toHaveLength(4);
  expect(await tools("trace_timeline", { ...oldest, tool: "issue_" })).toEqual([]);
  expect(await tools("trace_timeline", { query: "paint", tool: "issue_*", mutates: true })).toEqual(["issue_change"]);
  expect(await tools("trace_search", { query: "paint", pack: "github", mutates: false })).toEqual(["github_show"]);
  expect(await tools("trace_search", { query: "paint", tool: "git*" })).toHaveLength(2);
  expect(await ask("trace_timeline", { tool: "*_show" })).toEqual([
    "invalid_input: tool: expected a name, or the beginning of names with * at the end: issue_*",
  ]);
});

test("the goal of a batch is shown once, and again after calls with another goal, another session or none", async () => {
  const goal = "Paint the till";
  for (const id of [1, 2, 3]) await call("issue_change", id, { goal });
  await call("issue_show", 4);
  for (const sessionId of ["s1", "s2"]) await call("issue_show", 5, { goal, sessionId });
  expect(await ask("trace_timeline", { oldest_first: true })).toEqual([
    "session s1, goal: Paint the till",
    '  issue_change {"id":1} -> done',
    '  issue_change {"id":2} -> done',
    '  issue_change {"id":3} -> done',
    'issue_show {"id":4} -> done',
    "session s1, goal: Paint the till",
    '  issue_show {"id":5} -> done',
    "session s2, goal: Paint the till",
    '  issue_show {"id":5} -> done',
    "(none of these calls failed)",
  ]);
});

test("calls of one batch stand together, also if other calls run meanwhile", async () => {
  const paint = { goal: "Paint", callId: "batch-1" };
  const sell = { goal: "Sell", callId: "batch-2" };
  await call("issue_change", 1, paint);
  await call("github_change", 1, sell);
  await call("issue_change", 2, paint);
  await call("github_change", 2, sell);
  await call("issue_show", 3);
  await call("issue_change", 3, paint);
  expect(await ask("trace_timeline", { oldest_first: true })).toEqual([
    "session s1, goal: Paint",
    '  issue_change {"id":1} -> done',
    '  issue_change {"id":2} -> done',
    '  issue_change {"id":3} -> done',
    "session s1, goal: Sell",
    '  github_change {"id":1} -> done',
    '  github_change {"id":2} -> done',
    'issue_show {"id":3} -> done',
    "(none of these calls failed)",
  ]);
});

test("one call counts calls by tool, outcome, pack or session, with the filters of the list", async () => {
  for (const id of [1, 2, 3, 0]) await call("issue_show", id, { goal: "Look" });
  for (const id of [1, 0, -1]) await call("issue_change", id);
  for (const id of [1, "one"]) await call("github_change", id);
  await call("github_shwo", 1);
  expect(await ask("trace_timeline", { count_by: "tool" })).toEqual([
    "all: 10 calls, 5 mutating, 2 failed, 3 refused",
    "issue_show: 4 calls, 1 failed",
    "issue_change: 3 calls, 3 mutating, 1 failed, 1 refused",
    "github_change: 2 calls, 2 mutating, 1 refused",
    "github_shwo: 1 call, 1 refused",
  ]);
  expect(await ask("trace_timeline", { count_by: "outcome", outcome: ["failed"] })).toEqual([
    "all: 5 calls, 3 mutating, 2 failed, 3 refused",
    "failed (not_found): 2 calls, 1 mutating",
    "refused (denied): 1 call, 1 mutating",
    "refused (invalid_input): 1 call, 1 mutating",
    "refused (not_found): 1 call",
  ]);
  expect((await ask("trace_timeline", { count_by: "pack", tool: "issue_*", mutates: true }))[1]).toMatch(/^issue: 3/);
  expect((await ask("trace_timeline", { count_by: "session", since: "2020-01-01" })).slice(1)).toEqual([
    "unknown: 6 calls, 5 mutating, 1 failed, 3 refused",
    "s1: 4 calls, 1 failed",
  ]);
  expect(await ask("trace_timeline", { count_by: "tool", limit: 1 })).toEqual([
    expect.stringMatching(/^all: 10/),
    "issue_show: 4 calls, 1 failed",
    "1 of 4 are shown: name a limit.",
  ]);
  expect(await ask("trace_timeline", { count_by: "tool", until: "2020-01-01" })).toEqual(["none"]);
});

test("outcomes combine in a list, and an unknown one is refused", async () => {
  for (const id of [1, 0, -1, "one"]) await call("issue_change", id);
  const ids = async (outcome: unknown) =>
    (await ask("trace_timeline", { outcome, oldest_first: true })).flatMap(
      (line) => /(?<="id":)[^}]*/.exec(line) ?? [],
    );
  expect(await ids("ok")).toEqual(["1"]);
  expect(await ids(["ok", "not_found"])).toEqual(["1", "0"]);
  expect(await ids(["refused"])).toEqual(["-1", '"one"']);
  expect(await ids(["refused", "not_found"])).toEqual(["0", "-1", '"one"']);
  expect(await ids(["failed", "ok"])).toHaveLength(4);
  expect(await ask("trace_timeline", { outcome: "fail" })).toEqual([
    'invalid_input: outcome: unknown outcome "fail"',
    expect.stringMatching(/^Outcomes: ok, failed, refused, invalid_input, /),
  ]);
});

test("a search without words finds the newest", async () => {
  for (const id of [1, 2, 3]) await call("issue_show", id);
  for (const query of ["", "*"]) {
    const lines = await ask("trace_search", { query, limit: 2 });
    expect(lines.flatMap((line) => /(?<="id":)[^}]*/.exec(line) ?? [])).toEqual(["3", "2"]);
  }
});
