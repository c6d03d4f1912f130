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
  dispatcher = createDispatcher(catalog, { interceptors: [traces.interceptor] });
  client = await connectPack(pack, "sdk 2, protocol 2026-07-28");
  return async () => {
    await client.close();
    await remove();
  };
});

const call = (name: string, id: number, goal?: string) => {
  const intent: Intent = { workspaceId: "default", sessionId: "s1", memory: "", goal: goal ?? "" };
  return dispatcher.dispatch({ name, args: { id }, context: goal === undefined ? {} : { intent } });
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
  ]);
  expect(await ask("trace_timeline", { outcome: "failed" })).toEqual([
    'issue_show {"id":0} -> failed (not_found): id: there is no 0',
    'github_change {"id":-1} -> refused (denied): id: below 0',
    'github_change {"id":0} -> failed (not_found): id: there is no 0',
  ]);
  expect(await ask("trace_timeline", { outcome: "denied", mutates: true })).toHaveLength(1);
});

test("calls are found by the pack or server, and by the beginning of their tools' names", async () => {
  for (const name of ["issue_show", "issue_change", "github_show", "github_change"]) await call(name, 1, "Paint");
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

test("the goal of a batch is shown once, and again after calls with another goal or none", async () => {
  for (const id of [1, 2, 3]) await call("issue_change", id, "Paint the till");
  await call("issue_show", 4);
  await call("issue_show", 5, "Paint the till");
  expect(await ask("trace_timeline", { oldest_first: true })).toEqual([
    "goal: Paint the till",
    '  issue_change {"id":1} -> done',
    '  issue_change {"id":2} -> done',
    '  issue_change {"id":3} -> done',
    'issue_show {"id":4} -> done',
    "goal: Paint the till",
    '  issue_show {"id":5} -> done',
  ]);
});
