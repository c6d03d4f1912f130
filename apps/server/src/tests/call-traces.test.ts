import { describe, expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serveObserved } from "./observability/observed.fixture.ts";
import { openSharedServer, type Caller } from "./shared-server.fixture.ts";

/** A server over a folder with a file, whose configuration denies `fs_delete`. */
function open(surface: "discovery" | "two-tool" | "direct") {
  const config = `${folder({ "toolpacks.json": JSON.stringify({ deny: ["fs_delete"] }) })}/toolpacks.json`;
  const root = folder({ "read.txt": "a line" });
  return openSharedServer({ surface, config, root: [root], write: true, results: "text" });
}

const invoke = ({ call }: Caller, name: string, args: object) => call("tool_invoke", { name, args });

/** The lines of an answer, without times and durations. */
const linesOf = (text: string): readonly string[] =>
  text.split("\n").map((line) => line.replaceAll(/\d{4}-\d\d-\d\dT[\d:]{8} | \d+ ms$/g, ""));

async function timeline({ call }: Caller, args: object): Promise<readonly string[]> {
  const { text } = await call("tool_read", { name: "trace_timeline", args: { oldest_first: true, ...args } });
  return linesOf(text);
}

/** Calls tools on the two-tool surface, by their packs and short names. */
async function use({ call }: Caller, context: object, calls: readonly (readonly [string, string, object])[]) {
  const { text } = await call("useTools", {
    context: { sessionId: "s", memory: "m", goal: "Read the file", ...context },
    calls: calls.map(([pack, tool, params]) => ({ pack, tool, params })),
  });
  return linesOf(text);
}

describe("a refused call", () => {
  test("has a trace with its arguments and the reason, whether the tool is unknown, denied, called wrongly or too large", async () => {
    const { connect } = await open("discovery");
    const caller = await connect();
    await invoke(caller, "fs_raed", { path: "read.txt", password: "hunter2" });
    await invoke(caller, "fs_delete", { path: "read.txt" });
    await invoke(caller, "fs_read", { pth: "read.txt" });
    await invoke(caller, "fs_read", { path: "missing.txt" });
    await caller.call("no_such_tool", { path: "a" });
    await caller.call("tool_read", { name: "fs_write", args: { path: "b" } });
    await caller.call("fs_read", { path: Array.from({ length: 10_001 }, () => "x".repeat(99)) });
    await caller.call("tool_invoke", { name: "fs_read", args: "{" });
    const lines = await timeline(caller, { outcome: ["refused"] });
    expect(lines.map((line) => line.slice(0, 80))).toEqual([
      'fs_raed {"path":"read.txt","password":"***"} -> refused (not_found): no tool is ',
      'fs_delete {"path":"read.txt"} -> refused (denied): fs_delete is denied by this s',
      'fs_read {"pth":"read.txt"} -> refused (invalid_input): pth: unknown field, did y',
      'no_such_tool {"path":"a"} -> refused (not_found): no tool is named "no_such_tool',
      'fs_write {"path":"b"} -> refused (denied): fs_write changes things; tool_read ca',
      "fs_read -> refused (too_large): args: more than 10000 values",
      'tool_invoke {"name":"fs_read","args":"{"} -> refused (invalid_input): args: expe',
    ]);
    const changes = await timeline(caller, { outcome: ["refused"], mutates: true, pack: "filesystem" });
    expect(changes.map((line) => line.split(" ")[0])).toEqual(["fs_delete", "fs_write"]);
  });

  test("of a batch has a trace, and the calls that ran have one, too", async () => {
    const { connect } = await open("discovery");
    const caller = await connect();
    const read = { name: "fs_read", args: { path: "read.txt" } };
    const calls = [read, { name: "fs_raed" }, { name: "fs_read", args: { path: 5 } }, { name: "fs_delete" }];
    await caller.call("tool_invoke", { calls });
    expect((await timeline(caller, { count_by: "outcome" })).map((line) => line.split(", ")[0])).toEqual([
      "all: 4 calls",
      "ok: 1 call",
      "refused (denied): 1 call",
      "refused (invalid_input): 1 call",
      "refused (not_found): 1 call",
    ]);
  });

  test("is readable by its own principal and the local user alone", async () => {
    const { connect } = await open("direct");
    const [ann, ben, local] = [await connect("ann"), await connect("ben"), await connect()];
    const marker = "marker-of-ann";
    await ann.call(marker, { text: marker });
    await ann.call("fs_delete", { path: marker });
    await ann.call("fs_read", { path: 5, [marker]: marker });
    const own = await ann.call("trace_timeline", { outcome: ["refused"] });
    expect(own.text.split("\n")).toHaveLength(3);
    const session = String(/session (c-\w+)/.exec((await local.call("trace_timeline", { limit: 9 })).text)?.[1]);
    const views: readonly (readonly [string, object])[] = [
      ["trace_timeline", {}],
      ["trace_timeline", { outcome: ["refused", "failed"], limit: 50 }],
      ...["tool", "outcome", "pack", "session"].map((count_by) => ["trace_timeline", { count_by }] as const),
      ["trace_search", { query: "marker of ann" }],
      ["workspace_load", { tokens: 50_000 }],
      ["store_query", { kind: "trace", fields: ["*"], limit: 100, filter: { refused: true } }],
      // What ben asks for is in his own traces, so these are last.
      ["trace_timeline", { session, limit: 50 }],
      ["trace_timeline", { tool: marker }],
    ];
    for (const [name, args] of views) {
      const seen = await ben.call(name, args);
      expect(seen.isError, seen.text).toBe(false);
      expect(seen.whole, name).not.toContain(marker);
      expect(seen.whole, name).not.toContain(session);
    }
    expect((await ben.call("trace_timeline", { count_by: "tool", outcome: ["refused"] })).text).toBe("none");
    expect((await local.call("trace_search", { query: marker })).whole).toContain(marker);
  });

  test("of which there are many, with long names and arguments, takes no more of the store than other calls", async () => {
    const keep = 50;
    const config = `${folder({ "toolpacks.json": JSON.stringify({ packs: { memory: { traces: { keep } } } }) })}/toolpacks.json`;
    const { runtime, connect } = await openSharedServer({ surface: "direct", config, results: "text" });
    const caller = await connect();
    const long = "y".repeat(100_000);
    for (let at = 0; at < 450; at += 1) await caller.call(`${at}-${long}`, { [long]: long });
    // Old traces are removed after every 200 at the latest.
    const counted = async () =>
      Number(/all: (\d+)/.exec((await caller.call("trace_timeline", { count_by: "pack" })).text)?.[1]);
    await expect.poll(counted).toBeLessThan(keep + 201);
    const lengths: number[] = [];
    for await (const line of runtime.store.export()) if ("data" in line) lengths.push(JSON.stringify(line.data).length);
    expect(Math.max(...lengths)).toBeLessThan(4_000);
  }, 60_000);
});

describe("the session of a call", () => {
  test("selects its own calls with session: this, and the lines of other sessions name it", async () => {
    const { connect } = await open("discovery");
    const [first, second] = [await connect(), await connect()];
    await invoke(first, "fs_read", { path: "read.txt" });
    await invoke(second, "fs_read", { path: "missing.txt" });
    await invoke(second, "fs_raed", {});
    expect((await timeline(second, { session: "this" })).map((line) => line.slice(0, 46))).toEqual([
      'fs_read {"path":"missing.txt"} -> failed (not_',
      "fs_raed -> refused (not_found): no tool is nam",
    ]);
    const lines = await timeline(second, { tool: "fs_*" });
    expect(lines.slice(0, 2)).toEqual([
      expect.stringMatching(/^session c-[\da-f]{10}$/),
      '  fs_read {"path":"read.txt"} -> a line',
    ]);
    expect(lines[2]).toMatch(/^fs_read \{"path":"missing.txt"\}/);
    const session = lines[0]?.slice("session ".length);
    expect((await timeline(second, { session })).slice(0, 2)).toEqual(lines.slice(0, 2));
    expect(await timeline(first, { session: "this", tool: "fs_*" })).toEqual([
      'fs_read {"path":"read.txt"} -> a line',
      "(none of these calls failed)",
    ]);
  });

  test("on the two-tool surface is that of the context, in every process", async () => {
    const { connect } = await open("two-tool");
    const [first, second] = [await connect(), await connect()];
    await use(first, { sessionId: "mine" }, [["filesystem", "read", { path: "read.txt" }]]);
    await use(second, { sessionId: "other" }, [["filesystem", "read", { path: "missing.txt" }]]);
    const own = await use(second, { sessionId: "mine" }, [["memory", "trace_timeline", { session: "this" }]]);
    expect(own.slice(2)).toEqual([
      "goal: Read the file",
      '  filesystem: read {"path":"read.txt"} -> a line',
      "(none of these calls failed)",
    ]);
  });
});

test.each(["2025", "2026-07-28"] as const)(
  "over HTTP without sessions, protocol %s, session: this is refused, and says what to do",
  async (era) => {
    const { client } = await serveObserved({ era });
    const { content } = await client.callTool({
      name: "tool_read",
      arguments: { name: "trace_timeline", args: { session: "this" } },
    });
    expect(JSON.stringify(content)).toContain("session: this connection has no session");
    expect(JSON.stringify(content)).toContain("Leave session out, and name a time: since.");
  },
);

describe("on the two-tool surface", () => {
  test("traces name tools as the surface does, and filters take both names", async () => {
    const { connect } = await open("two-tool");
    const caller = await connect();
    await use(caller, {}, [
      ["filesystem", "read", { path: "read.txt" }],
      ["filesystem", "raed", { path: "read.txt" }],
      ["memory", "remember", { text: "The till is red." }],
    ]);
    const found = async (tool: string) => {
      const lines = await use(caller, {}, [["memory", "trace_timeline", { tool, oldest_first: true }]]);
      return lines.slice(3).flatMap((line) => /(?<=^ {2}).*?(?= [{-])/.exec(line) ?? []);
    };
    for (const name of ["filesystem: read", "filesystem:read", "filesystem.read", "fs_read", "read"]) {
      expect(await found(name), name).toEqual(["filesystem: read"]);
    }
    expect(await found("filesystem: raed")).toEqual(["filesystem.raed"]);
    expect(await found("filesystem: re*")).toEqual(["filesystem: read"]);
    expect(await found("memory: rem*")).toEqual(["memory: remember"]);
    expect(await found("memory: *")).toContain("memory: remember");
    expect(await found("fs_*")).toEqual(["filesystem: read"]);
    const counts = await use(caller, {}, [["memory", "trace_timeline", { count_by: "tool", outcome: "refused" }]]);
    expect(counts.slice(3)).toEqual(["filesystem.raed: 1 call, 1 refused"]);
  });

  test("a batch has its goal once, with its failed and refused calls", async () => {
    const { connect } = await open("two-tool");
    const caller = await connect();
    const calls = ["read.txt", "missing.txt"].map((path) => ["filesystem", "read", { path }] as const);
    await use(caller, { goal: "Find the till" }, [...calls, ["filesystem", "delete", { path: "a" }]]);
    const lines = await use(caller, { goal: "Look" }, [["memory", "trace_timeline", { oldest_first: true }]]);
    expect(lines.slice(2).map((line) => line.slice(0, 72))).toEqual([
      "goal: Find the till",
      '  filesystem.delete {"path":"a"} -> refused (not_found): pack filesystem',
      '  filesystem: read {"path":"read.txt"} -> a line',
      '  filesystem: read {"path":"missing.txt"} -> failed (not_found): missing',
      "(2 of these 3 calls failed)",
    ]);
  });
});
