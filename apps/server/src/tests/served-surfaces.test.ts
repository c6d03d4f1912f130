import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Access } from "@toolpacks/access";
import { folder } from "../run-cli.fixture.ts";
import type { Flags } from "../config/settings.ts";
import { call, closeHosts, modernRequest, startHost } from "@toolpacks/host/fixture";
import { principalNamed, servePrincipals, type PrincipalServer } from "./caller-access.fixture.ts";

/** The maximum of `ServedSurfaces`. */
const maxSurfaces = 256;

/** A folder with the roots `srv/a` and `srv/b`, and a config file. */
function project(config: object = {}): string {
  const home = folder({ "toolpacks.config.json": JSON.stringify({ roots: ["srv"], ...config }) });
  for (const name of ["a", "b", "ab"]) {
    mkdirSync(path.join(home, "srv", name), { recursive: true });
    writeFileSync(path.join(home, "srv", name, "note.txt"), `canary of ${name}`);
  }
  return home;
}

async function serve(home: string, flags: Flags = {}): Promise<PrincipalServer> {
  const server = await servePrincipals(home, { config: path.join(home, "toolpacks.config.json"), ...flags });
  onTestFinished(() => server.close());
  return server;
}

const surfaceFor = ({ live }: PrincipalServer, name: string, access: Access) =>
  live.surfaceFor(principalNamed(name, access).principal);

describe("roots of an access", () => {
  test.each([
    ["the parent of a root", () => "..", "is not within the server's roots; accepted: a folder within "],
    ["a folder whose name begins like a root's", () => "../srv2", "is not within the server's roots"],
    ["a link out of the roots", () => "link", "is not within the server's roots"],
    ["a folder that does not exist", () => "none", "is not an existing folder"],
    ["a file", () => "a/note.txt", "is not an existing folder"],
  ])("that are %s are refused, and named", async (_, place, problem) => {
    const home = project();
    mkdirSync(path.join(home, "srv2"));
    symlinkSync(home, path.join(home, "srv/link"));
    const root = path.join(home, "srv", place());
    const server = await serve(home);
    await expect(surfaceFor(server, "ada", { roots: [root] })).rejects.toThrow(
      `roots: ${JSON.stringify(root)} ${problem}`,
    );
  });

  test("are refused on a server without roots, and when they are relative", async () => {
    const home = project({ roots: [] });
    const server = await serve(home);
    await expect(surfaceFor(server, "ada", { roots: [home] })).rejects.toThrow("the server has no root");
    await expect(surfaceFor(server, "ada", { roots: ["srv"] })).rejects.toThrow("expected an absolute path");
  });

  test("reach the packs whose own roots contain them, and no other packs", async () => {
    const home = project({ packs: { search: { roots: ["srv/b"] } } });
    const server = await serve(home);
    const ada = await server.connect("ada", { roots: [path.join(home, "srv/a")] });
    expect(await ada.invoke("fs_read", { path: "note.txt" })).toBe("canary of a");
    expect(await ada.invoke("search_text", { query: "canary" })).toContain(
      "no folder of the caller is within its roots",
    );
  });

  test("limit workflow steps and the paths of issues", async () => {
    const home = project();
    const server = await serve(home);
    const ada = await server.connect("ada", { roots: [path.join(home, "srv/a")] });
    const steps = [{ id: "read", tool: "fs_read", params: { path: path.join(home, "srv/b/note.txt") } }];
    const answer = await ada.text("workflow_eval", { steps });
    expect(answer).toContain("denied");
    expect(answer).not.toContain("canary of b");
  });
});

describe("workspaces of an access", () => {
  const remember = (about: string) => ({ entity: about, observations: [`${about} is a secret.`] });

  test("are the only ones that memory, issues and records are read from and written to", async () => {
    const server = await serve(project());
    const local = await server.connect("local", undefined);
    const team = await server.connect("ada", { workspaces: ["team", "shared"] });
    await local.invoke("memory_remember", remember("Zanzibar"));
    await team.invoke("memory_remember", remember("Quito"));
    expect(await team.invoke("memory_recall", { query: "secret" })).toContain("Quito");
    expect(await team.invoke("memory_recall", { query: "secret" })).not.toContain("Zanzibar");
    expect(await local.invoke("memory_recall", { query: "secret" })).not.toContain("Quito");
    const own = server.runtime().store.workspace;
    const listed = await team.invoke("workspace_list");
    expect(listed).toContain("team");
    expect(listed).not.toContain(own);
    const load = (name: string) => team.invoke("workspace_load", { name });
    expect(await load(own)).toBe((await load("no such")).replace("no such", own));
    expect(await team.invoke("store_query", { kind: "entity", everyWorkspace: true })).not.toContain("Zanzibar");
    const records = await server.runtime().store.workspaces();
    expect(records).toContain("team");
  });

  test("hold the traces, reports and large results of the callers", async () => {
    const home = project({ packs: { memory: { traces: true } } });
    writeFileSync(path.join(home, "srv/large.txt"), "0123456789\n".repeat(8_000));
    const server = await serve(home);
    const team = await server.connect("ada", { workspaces: ["team"] });
    const steps = [{ id: "value", step: "value", params: { text: "kept" } }];
    expect(await team.text("workflow_eval", { steps })).toContain("kept");
    expect(await team.invoke("fs_read", { path: "large.txt" })).toContain("relay://");
    await expect.poll(() => team.invoke("trace_search", { query: "fs_read" })).toContain("fs_read");
    expect(await team.invoke("workflow_report")).toContain("kept");
    expect(await server.runtime().store.workspaces()).toEqual(["team"]);
  });

  test("are the only ones that a batch may name, and no description or error names another", async () => {
    const home = project();
    const server = await serve(home, { surface: "two-tool" });
    const local = await server.connect("local", undefined);
    const calls = [{ pack: "memory", tool: "memory_remember", params: remember("Zanzibar") }];
    const context = { sessionId: "s", memory: "none", goal: "test" };
    await local.text("useTools", { context, calls });
    const own = server.runtime().store.workspace;
    const team = await server.connect("ada", { workspaces: ["team", "shared"] });
    const listing = JSON.stringify(await team.client.listTools());
    const recall = [{ pack: "memory", tool: "memory_recall", params: { query: "secret" } }];
    const use = (workspaceId: string) => team.text("useTools", { context: { ...context, workspaceId }, calls: recall });
    for (const name of [own, "default"]) {
      const answer = await use(name);
      expect(answer).toMatch(/^denied: /);
      expect(answer).toBe((await use("no such")).replace("no such", name));
    }
    for (const text of [listing, team.instructions, await use("team"), await use("shared")]) {
      expect(text).not.toContain(own);
      expect(text).not.toContain("Zanzibar");
    }
  });

  test("beyond a list in the settings are refused", async () => {
    const server = await serve(project({ workspaces: ["one"] }));
    await expect(surfaceFor(server, "ada", { workspaces: ["one", "two"] })).rejects.toThrow(
      /workspaces: "two" is not among one \(/,
    );
    await expect(surfaceFor(server, "ada", { workspaces: ["one"] })).resolves.toBeDefined();
  });
});

test("one facet is served without workspaces of calls, also where the config file chooses two tools", async () => {
  const home = project({ surface: "two-tool" });
  const server = await serve(home, { facet: "memory" });
  const { store } = server.runtime().mounting;
  const { runInWorkspace } = await import("@toolpacks/store");
  expect(runInWorkspace("other", () => store.workspace)).toBe(server.runtime().store.workspace);
});

/** A pack whose tool waits until the test ends it. */
const slowPack = `
const schema = { json: () => ({ type: "object" }), full: () => ({ type: "object" }), check: (value) => ({ ok: true, value }) };
const tools = [{
  name: "slow_wait", description: "Wait.", mutates: false, effects: {}, keywords: [], examples: [], aliases: [], media: false, input: schema,
  run: () => new Promise((resolve) => { globalThis.endSlowCall = () => resolve({}); }), render: JSON.stringify,
}];
export default () => ({ name: "slow", description: "Waits.", budget: 500, kinds: [], withheld: [], tools: async () => tools, registerWith: async () => {} });
`;

describe("surfaces", () => {
  test("are shared by principals with the same access, whatever its rate", async () => {
    const server = await serve(project());
    const first = await surfaceFor(server, "0", { facets: ["memory", "issues"] });
    for (let at = 1; at < 1_000; at += 1) {
      const access = { facets: ["issues", "memory"], rate: { requests: at, seconds: 1 } };
      expect(await surfaceFor(server, String(at), access)).toBe(first);
    }
    expect(await surfaceFor(server, "0", { facets: ["memory"] })).not.toBe(first);
  });

  test("are dropped when they are neither used nor have running calls, the least recently used first", async () => {
    const home = project({ packs: { "./slow.mjs": true } });
    writeFileSync(path.join(home, "slow.mjs"), slowPack);
    const server = await serve(home);
    const open = (id: string) => surfaceFor(server, id, { workspaces: [id] });
    const [watched, calling, unused] = [await open("watched"), await open("calling"), await open("unused")];
    const stop = watched.use?.();
    const call = calling.current.call({ name: "slow_wait", args: {} });
    for (let at = 0; at < maxSurfaces + 10; at += 1) await open(String(at));
    expect(await open("watched")).toBe(watched);
    expect(await open("calling")).toBe(calling);
    expect(await open("unused")).not.toBe(unused);
    // A call that comes late still works.
    expect(await unused.current.call({ name: "store_query", args: { kind: "note" } })).toMatchObject({ ok: true });
    (globalThis as { endSlowCall?: () => void }).endSlowCall?.();
    expect(await call).toMatchObject({ ok: true });
    stop?.();
  });

  test("that requests over HTTP have used are dropped like others, and their streams are kept", async () => {
    const server = await serve(project(), { watch: true });
    let id = "stream";
    const open = () => surfaceFor(server, id, { workspaces: [id] });
    const { url } = await startHost({ surfaceFor: open });
    onTestFinished(closeHosts);
    const stream = await fetch(
      url,
      modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }),
    );
    expect(stream.status).toBe(200);
    const kept = await open();
    id = "0";
    const first = await open();
    for (let at = 0; at < maxSurfaces + 10; at += 1) {
      id = String(at);
      expect(await (await fetch(url, modernRequest("tools/list", {}))).text()).toContain("store_query");
    }
    id = "stream";
    expect(await open()).toBe(kept);
    id = "0";
    expect(await open()).not.toBe(first);
    expect(await (await fetch(url, call("store_query", { kind: "note" }))).text()).toContain("none");
    await stream.body?.cancel();
  }, 60_000);

  test("that are opened at once all answer calls", async () => {
    const server = await serve(project());
    const names = Array.from({ length: 100 }, (_, at) => `w${at % 50}`);
    const opened = await Promise.all(
      names.map((id, at) =>
        surfaceFor(server, id, { workspaces: [id], facets: ["planner", "store"], tools: [`t${at}`] }),
      ),
    );
    for (const served of opened) {
      const call = { name: "store_query", args: { kind: "note" } };
      expect((await served.current.call(call)).ok).toBe(true);
    }
  });
});

describe("a reload", () => {
  const write = (home: string, config: object) =>
    writeFileSync(path.join(home, "toolpacks.config.json"), JSON.stringify({ roots: ["srv"], ...config }));

  test("replaces the surface of every principal, and tells only the ones whose surface differs", async () => {
    const home = project();
    const server = await serve(home);
    const [ada, bob] = [
      await server.connect("ada", { facets: ["filesystem"] }),
      await server.connect("bob", { facets: ["memory"] }),
    ];
    expect(await ada.invoke("fs_write", { path: "a/new.txt", content: "x" })).toMatch(/^denied: /);
    const before = server.runtime();
    write(home, { packs: { filesystem: { write: true } }, deny: ["fs_stat"], expose: ["core", "filesystem"] });
    await server.live.reload();
    expect(server.runtime()).not.toBe(before);
    expect(ada.changes).toContain("tools");
    expect(bob.changes).toEqual([]);
    expect(await ada.invoke("fs_write", { path: "a/new.txt", content: "x" })).toContain("new.txt");
    // The replaced runtime has closed its store.
    expect(await bob.invoke("memory_remember", { entity: "Quito", observations: ["Is high."] })).toContain("Quito");
  });

  test("takes away roots that the settings no longer contain, and gives them back", async () => {
    const home = project();
    const server = await serve(home);
    const access = { roots: [path.join(home, "srv/a")] };
    const ada = await server.connect("ada", access);
    const read = () => ada.invoke("fs_read", { path: "note.txt" });
    expect(await read()).toBe("canary of a");
    write(home, { roots: ["srv/b"] });
    await server.live.reload();
    expect(await read()).toMatch(/^not_found: no tool is named "fs_read"/);
    await expect(surfaceFor(server, "ada", access)).rejects.toThrow("is not within the server's roots");
    write(home, {});
    await server.live.reload();
    expect(await read()).toBe("canary of a");
    await expect(surfaceFor(server, "ada", access)).resolves.toBeDefined();
  });

  test("lets calls on all surfaces finish before their packs end", async () => {
    const home = project();
    const server = await serve(home);
    const first = server.runtime();
    const { mounting } = await first.build({ access: { grants: [{}], workspaces: ["team"] }, caller: undefined });
    const running = Promise.withResolvers<void>();
    const order: string[] = [];
    const call = mounting.calls.run(() => running.promise).then(() => order.push("call"));
    mounting.store.beforeEnd(async () => void order.push("mounting"));
    await server.live.reload();
    const finished = server.live.finish(5_000).then(() => order.push("finished"));
    await setTimeout(50);
    expect(order).toEqual([]);
    running.resolve();
    await Promise.all([call, finished]);
    expect(order).toEqual(["call", "mounting", "finished"]);
  });
});
