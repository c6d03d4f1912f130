import { mkdirSync, readdirSync, renameSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { createDatabase } from "@toolpacks/store-postgres/fixture";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { connectServer } from "../serve.fixture.ts";

let at: string;
let store: string;
let env: Record<string, string>;
beforeEach(() => {
  at = folder({ "all.json": '{"workspaces":"all"}' });
  store = path.join(at, "store.db");
  env = { XDG_DATA_HOME: path.join(at, "data") };
});

function make(...names: string[]): string {
  const made = path.join(at, ...names);
  mkdirSync(made, { recursive: true });
  return made;
}

interface Session {
  /** What the model reads of a tool's answer. */
  readonly ask: (name: string, args: object) => Promise<string>;
  readonly client: Client;
  readonly end: () => Promise<void>;
}

/** A client with its own server. */
async function session(flags: readonly string[], { discovery = true } = {}): Promise<Session> {
  const args = ["--store", store, ...(discovery ? [] : ["--surface", "two-tool"]), ...flags];
  const { client, server } = await connectServer(args, { cwd: at, env });
  onTestFinished(() => client.close());
  const ask = async (name: string, args: object) => {
    const own = ["store_put", "store_query"].includes(name) || !discovery;
    const given = own ? { name, arguments: { ...args } } : { name: "tool_invoke", arguments: { name, args } };
    const { content } = await client.callTool(given);
    return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
  };
  const end = async () => {
    await client.close();
    await server.ended;
  };
  return { ask, client, end };
}

/** One call of one server. */
async function ask(flags: readonly string[], name: string, args: object): Promise<string> {
  const one = await session(flags);
  const answer = await one.ask(name, args);
  await one.end();
  return answer;
}

const put = (root: string, text: string) => ask(["--root", root], "store_put", { kind: "note", record: { text } });
const notes = (root: string) => ask(["--root", root], "store_query", { kind: "note" });

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly folders: readonly string[];
  readonly hasRecords: boolean;
  readonly isCurrent: boolean;
}

const workspaces = (args: readonly string[], cwd = at) => run(["workspaces", ...args, "--store", store], { cwd, env });
const list = async (cwd = at) => JSON.parse((await workspaces(["list", "--json"], cwd)).stdout) as readonly Listed[];
const currentOf = async (cwd: string) => (await list(cwd)).find(({ isCurrent }) => isCurrent)?.id ?? "";

describe("projects are separate", () => {
  test.each(["two projects of one name", "two folders without git"])("%s keep their records apart", async (what) => {
    const [one, two] = [make("client1", "api"), make("client2", "api")];
    if (what.startsWith("two projects")) for (const root of [one, two]) mkdirSync(path.join(root, ".git"));
    await put(one, "The first client pays in June.");
    await ask(["--root", one], "memory_remember", { text: "The first client pays late." });
    expect(await notes(two)).toBe("none");
    expect(await ask(["--root", two], "memory_recall", { query: "who pays", workspace: "*" })).toMatch(/^Nothing/);
    expect(await notes(one)).toContain("pays in June");
    const rootless = await session([]);
    expect(await rootless.ask("store_query", { kind: "note" })).toBe("none");
  });

  test("an agent cannot see or open another workspace, by any name", async () => {
    const [one, two] = [make("client1", "api"), make("client2", "shop")];
    await put(one, "secret of the first");
    const [{ id: other } = { id: "" }] = await list();
    const { ask: call } = await session(["--root", two]);
    expect(await call("workspace_list", {})).toBe("shop");
    expect(await call("workspace_list", { archived: true })).toBe("none");
    expect(await call("workspace_load", {})).toMatch(/^workspace shop$/m);
    for (const name of [other, "api", "default", "none-such"]) {
      const denied = new RegExp(
        `^denied: workspace: .* may not be opened from here\\n.*"workspaces" in the config file`,
      );
      for (const tool of ["workspace_load", "workspace_update", "workspace_archive"]) {
        expect(await call(tool, { name })).toMatch(denied);
      }
      if (name !== "default") expect(await call("workspace_create", { name })).toMatch(denied);
      for (const [tool, args] of [
        ["memory_recall", { query: "secret" }],
        ["memory_graph", { entity: "secret" }],
        ["state_list", {}],
        ["state_load", { name: "s" }],
        ["trace_search", { query: "secret" }],
        ["trace_timeline", {}],
      ] as const) {
        expect(await call(tool, { ...args, workspace: name })).toMatch(denied);
      }
    }
    expect(await call("memory_recall", { query: "secret of the first", workspace: "*" })).toMatch(/^Nothing/);
  });

  test("the two-tool surface lists no other workspace, and the own one needs no name", async () => {
    const [one, two] = [make("client1", "api"), make("client2", "shop")];
    await put(one, "secret of the first");
    const [{ id: other } = { id: "" }] = await list();
    const { ask: call, client } = await session(["--root", two], { discovery: false });
    expect(JSON.stringify((await client.listTools()).tools)).not.toMatch(/api|workspaces:/);
    const use = (workspace: object, tool: string, params: object) => {
      const context = { ...workspace, sessionId: "s", memory: "none", goal: "look" };
      return call("useTools", { context, calls: [{ pack: "store", tool, params: { kind: "note", ...params } }] });
    };
    for (const workspace of [{}, { workspaceId: "shop" }, { workspaceId: "default" }]) {
      expect(await use(workspace, "put", { record: { text: "x" } })).toContain("1 succeeded");
    }
    expect((await use({}, "query", {})).match(/ x$/gm)).toHaveLength(3);
    for (const workspaceId of [other, "api"]) expect(await use({ workspaceId }, "query", {})).toMatch(/^denied/);
  });

  test("a handle opens nothing in another workspace", async () => {
    const [one, two] = [make("client1", "api"), make("client2", "api")];
    writeFileSync(path.join(one, "long.txt"), "a secret line\n".repeat(3_000));
    const first = await session(["--root", one]);
    const boxed = await first.ask("fs_read", { path: "long.txt" });
    const [handle] = /relay:\/\/[\w-]+/.exec(boxed) ?? [];
    expect(handle).toBeDefined();
    const opened = async ({ client }: Session) =>
      JSON.stringify(await client.callTool({ name: "relay_read", arguments: { handle } }));
    expect(await opened(first)).toContain("a secret line");
    const refused = await opened(await session(["--root", two]));
    expect(refused).toContain("not_found");
    expect(refused).not.toContain("secret");
  });

  test("an agent can see and open other workspaces by name if the config allows it", async () => {
    const [one, two] = [make("client1", "api"), make("client2", "shop")];
    await ask(["--root", one], "memory_remember", { text: "The tide table is in the drawer." });
    const [{ id } = { id: "" }] = await list();
    const all = ["--root", two, "--config", path.join(at, "all.json")];
    const { ask: call } = await session(all);
    expect(await call("workspace_list", {})).toBe("shop\ndefault\napi");
    expect(await call("memory_recall", { query: "tide table", workspace: "api" })).toContain("drawer");
    expect(await call("memory_recall", { query: "tide table", workspace: "*" })).toContain("in api");
    writeFileSync(path.join(at, "one.json"), JSON.stringify({ workspaces: [id] }));
    const some = await session(["--root", two, "--config", path.join(at, "one.json")], { discovery: false });
    expect((await some.client.listTools()).tools[0]?.description).toContain("workspaces: shop (this project),api");
  });
});

describe("toolpacks workspaces", () => {
  test("list prints ids, names and folders, and marks the workspace of this folder", async () => {
    const [one, two] = [make("client1", "api"), make("client2", "api")];
    expect((await workspaces([])).stdout).toBe("none\n");
    await put(one, "a");
    await put(two, "b");
    const shown = (await workspaces([], one)).stdout;
    const id = await currentOf(one);
    expect(shown).toContain(`* ${id}  api, ${one}\n`);
    expect(shown).toContain(two);
    expect((await list(make("elsewhere"))).map(({ isCurrent }) => isCurrent)).toEqual([false, false]);
    renameSync(one, path.join(at, "gone"));
    expect((await workspaces([])).stdout).toContain(`${one} (gone)`);
  });

  test("join refuses an ambiguous name, and suggests the nearest one", async () => {
    const [one, two] = [make("client1", "api"), make("client2", "api")];
    await put(one, "a");
    await put(two, "b");
    const ambiguous = await workspaces(["join", "api", make("other")]);
    expect(ambiguous).toMatchObject({ code: 1, stderr: expect.stringContaining(await currentOf(one)) as string });
    expect(ambiguous.stderr).toContain(await currentOf(two));
    expect((await workspaces(["join", "apy"])).stderr).toContain("did you mean api?");
  });

  test("join lets a folder use a workspace, and moves no records", async () => {
    const [one, two] = [make("client1", "api"), make("client2", "shop")];
    await put(one, "of the api");
    await put(two, "of the shop");
    const before = await currentOf(two);
    const joined = await workspaces(["join", "api", two]);
    expect(joined).toMatchObject({ code: 0, stdout: expect.stringContaining(`workspaces join ${before}`) as string });
    expect(await notes(two)).toContain("of the api");
    expect((await list()).find(({ id }) => id === before)).toMatchObject({ hasRecords: true, folders: [] });
    expect(await workspaces(["join", before], two)).toMatchObject({ code: 0 });
    expect(await notes(two)).toContain("of the shop");
    expect(await workspaces(["join", "nothing"], two)).toMatchObject({ code: 1 });
    expect(await workspaces(["join", "api", "no/such/folder"])).toMatchObject({ code: 2 });
  });
});

test("a moved folder gets its workspace back by join", async () => {
  const before = make("old", "notes");
  await put(before, "kept");
  const [{ id } = { id: "" }] = await list();
  make("new");
  const after = path.join(at, "new", "notes");
  renameSync(before, after);
  expect(await notes(after)).toBe("none");
  expect(await workspaces(["join", id], after)).toMatchObject({ code: 0 });
  expect(await notes(after)).toContain("kept");
});

test("on PostgreSQL two machines with folders at the same path have separate workspaces", async () => {
  const server = await createDatabase();
  onTestFinished(() => server.remove());
  store = server.address;
  const root = make("api");
  await put(root, "of the first machine");
  env = { XDG_DATA_HOME: path.join(at, "other-machine") };
  expect(await notes(root)).toBe("none");
  expect((await workspaces([], root)).stdout).toMatch(/^ {2}api~\w{16} {2}api$/m);
});

test("a relative $XDG_DATA_HOME is resolved in the home folder, not in the repository", async () => {
  const home = folder();
  const cwd = folder();
  const env = { HOME: home, XDG_DATA_HOME: ".local/share", XDG_CONFIG_HOME: "", XDG_CACHE_HOME: "" };
  const record = JSON.stringify({ kind: "note", record: { text: "mine" } });
  const { code, stderr } = await run(["call", "store_put", record, "--root", "."], { cwd, env, isTrusted: false });
  expect([code, stderr]).toEqual([0, ""]);
  expect(readdirSync(cwd)).toEqual([]);
  expect(readdirSync(path.join(home, ".local/share/toolpacks"))).toContain("workspaces");
});
