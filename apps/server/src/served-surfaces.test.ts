import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Access } from "@toolpacks/access";
import { folder } from "./command.fixture.ts";
import type { Flags } from "./config/settings.ts";
import { call, closeHosts, modernRequest, startHost } from "@toolpacks/host/fixture";
import { principalNamed, servePrincipals, type PrincipalServer } from "./caller-access.fixture.ts";
import { maxMountings, maxSurfaces } from "./served-surfaces.ts";

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

/** What the server logs while `work` runs. */
async function logged(work: () => Promise<unknown>): Promise<string> {
  const write = vi.spyOn(process.stderr, "write").mockReturnValue(true);
  try {
    await work();
    return write.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    write.mockRestore();
  }
}

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

describe("surfaces", () => {
  test("are shared by principals with the same access, whatever its rate", async () => {
    const server = await serve(project());
    const first = await surfaceFor(server, "0", { facets: ["memory", "issues"] });
    for (let at = 1; at < 1_000; at += 1) {
      const access = { facets: ["issues", "memory"], rate: { requests: at, seconds: 1 } };
      expect(await surfaceFor(server, String(at), access)).toBe(first);
    }
    expect(server.runtime().mountings.count).toBe(1);
    expect(await surfaceFor(server, "0", { facets: ["memory"] })).not.toBe(first);
  });

  test("of other roots or workspaces have mountings of their own, of which unused ones are ended", async () => {
    const server = await serve(project());
    const watched = await surfaceFor(server, "w", { workspaces: ["watched"] });
    const stop = watched.watch(async () => {});
    const { mountings } = server.runtime();
    const mountingOf = async (id: string) =>
      mountings.get({ access: { grants: [{}], workspaces: [id] }, caller: undefined });
    const running = Promise.withResolvers<void>();
    const isBusy = await mountingOf("calling");
    void isBusy.calls.run(() => running.promise);
    await surfaceFor(server, "c", { workspaces: ["calling"] });
    const unused = await mountingOf("0");
    const held = (await surfaceFor(server, "0", { workspaces: ["0"] })).current();
    for (let at = 0; at < maxMountings + 10; at += 1) {
      await surfaceFor(server, String(at), { workspaces: [String(at)] });
    }
    await expect.poll(() => mountings.count).toBe(maxMountings);
    expect(mountings.others).toContain(isBusy);
    expect(mountings.others).toContain(await mountingOf("watched"));
    expect(mountings.others).not.toContain(unused);
    expect(await surfaceFor(server, "w", { workspaces: ["watched"] })).toBe(watched);
    // A call that comes late still works.
    expect(await held.call({ name: "store_query", args: { kind: "note" } })).toMatchObject({ ok: true });
    running.resolve();
    stop();
  });

  test("that requests over HTTP have used are ended like others, and their streams are kept", async () => {
    const server = await serve(project(), { watch: true });
    let id = "stream";
    const { url } = await startHost({ surfaceFor: () => surfaceFor(server, id, { workspaces: [id] }) });
    onTestFinished(closeHosts);
    const stream = await fetch(
      url,
      modernRequest("subscriptions/listen", { notifications: { toolsListChanged: true } }),
    );
    expect(stream.status).toBe(200);
    const { mountings } = server.runtime();
    const kept = await mountings.get({ access: { grants: [{}], workspaces: [id] }, caller: undefined });
    for (let at = 0; at < maxMountings + 10; at += 1) {
      id = String(at);
      expect(await (await fetch(url, modernRequest("tools/list", {}))).text()).toContain("store_query");
    }
    await expect.poll(() => mountings.count).toBeLessThanOrEqual(maxMountings);
    expect(mountings.others).toContain(kept);
    id = "0";
    expect(await (await fetch(url, call("store_query", { kind: "note" }))).text()).toContain("none");
    await stream.body?.cancel();
  });

  test("that are opened at once all have an open mounting", async () => {
    const server = await serve(project());
    const names = Array.from({ length: 3 * maxMountings }, (_, at) => `w${at % (2 * maxMountings)}`);
    const opened = await Promise.all(
      names.map((id, at) =>
        surfaceFor(server, id, { workspaces: [id], facets: ["planner", "store"], tools: [`t${at}`] }),
      ),
    );
    for (const served of opened) {
      const call = { name: "store_query", args: { kind: "note" } };
      expect((await served.current().call(call)).ok).toBe(true);
    }
    const { mountings } = server.runtime();
    await surfaceFor(server, "last", { workspaces: ["last"] });
    await expect.poll(() => mountings.count).toBeLessThanOrEqual(maxMountings);
  });

  test("of many accesses are dropped when they are not used", async () => {
    const server = await serve(project());
    const first = await surfaceFor(server, "0", { tools: ["tool_0"] });
    for (let at = 1; at <= maxSurfaces; at += 1) await surfaceFor(server, String(at), { tools: [`tool_${at}`] });
    expect(await surfaceFor(server, "0", { tools: ["tool_0"] })).not.toBe(first);
    expect(server.runtime().mountings.count).toBe(1);
  }, 60_000);

  test("with names that grant nothing are served, and each access is logged once", async () => {
    const server = await serve(project(), { logLevel: "warn" });
    const access = { facets: ["memroy", "issues", "core"], tools: ["fs_raed", "fs_read"] };
    const text = await logged(async () => {
      await surfaceFor(server, "ada", access);
      await surfaceFor(server, "bob", { ...access });
    });
    expect(text.match(/the access of /g)).toHaveLength(1);
    expect(text).toContain('facets: no facet is named "memroy" (did you mean "memory"?)');
    expect(text).toContain('tools: no tool is named "fs_raed" (did you mean "fs_read"?)');
    expect(text).not.toContain('"issues"');
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
    expect(ada.changes).toEqual(["surface"]);
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
