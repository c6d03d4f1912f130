import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { principalNamed, servePrincipals, type PrincipalServer } from "./caller-access.fixture.ts";

const rough = fileURLToPath(new URL("../../../../packages/upstream/src/rough-server.fixture.ts", import.meta.url));

const before = { cache: process.env["XDG_CACHE_HOME"], data: process.env["XDG_DATA_HOME"] };
beforeAll(() => {
  process.env["XDG_CACHE_HOME"] = folder();
  process.env["XDG_DATA_HOME"] = folder();
});
afterAll(() => {
  for (const [name, value] of [
    ["XDG_CACHE_HOME", before.cache],
    ["XDG_DATA_HOME", before.data],
  ] as const) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

interface RoughServer {
  readonly server: PrincipalServer;
  /** The ids of the processes that were started. */
  readonly processes: () => readonly number[];
  /** The file that changes the lists of the server. */
  readonly changes: string;
}

/** Serves a config file with the server `rough`. */
async function serveRough(more: object): Promise<RoughServer> {
  const home = folder();
  const log = path.join(home, "log");
  const block = { command: process.execPath, args: [rough, "plain", log], ...more };
  const config = path.join(home, "servers.json");
  writeFileSync(config, JSON.stringify({ mcpServers: { rough: block } }));
  const server = await servePrincipals(home, { config });
  onTestFinished(() => server.close());
  const processes = () => readFileSync(log, "utf8").trim().split("\n").map(Number);
  return { server, processes, changes: `${log}.changes` };
}

test("callers of different workspaces use one process of a server, and see its tools only with its facet", async () => {
  const { server, processes } = await serveRough({});
  const callers = [
    await server.connect("ada", { workspaces: ["ada"] }),
    await server.connect("bob", { workspaces: ["bob"], facets: ["rough"] }),
    await server.connect("cyd", {}),
  ];
  for (const caller of callers) expect(await caller.invoke("rough_say", { text: "hello" })).toContain("hello");
  expect(processes()).toHaveLength(1);
  const other = await server.connect("dan", { workspaces: ["dan"], facets: ["memory"] });
  expect(await other.invoke("rough_say", { text: "hello" })).toMatch(/^not_found: no tool is named "rough_say"/);
  expect(other.client.getServerCapabilities()?.resources).toBeUndefined();
});

test("a changed list of a server replaces the surfaces that show the server, and no others", async () => {
  const { server, processes, changes } = await serveRough({});
  const ada = await server.connect("ada", { workspaces: ["ada"] });
  const bob = await server.connect("bob", { facets: ["memory"] });
  await ada.invoke("rough_say", { text: "hello" });
  // The first list of the server arrives with a delay, too.
  await setTimeout(1_000);
  const [changesOfAda, changesOfBob] = [ada.changes.length, bob.changes.length];
  writeFileSync(changes, JSON.stringify({ description: "Says a text aloud." }));
  process.kill(processes()[0] ?? 0, "SIGUSR2");
  await expect.poll(() => ada.changes.length, { timeout: 5_000 }).toBeGreaterThan(changesOfAda);
  expect(bob.changes).toHaveLength(changesOfBob);
});

test("a server with an identity per caller has packs of its own for each principal", async () => {
  const { server, processes } = await serveRough({ identity: "caller" });
  const [ada, bob] = [await server.connect("ada", {}), await server.connect("bob", {})];
  for (const caller of [ada, bob, ada]) expect(await caller.invoke("rough_say", { text: "hello" })).toContain("hello");
  expect(new Set(processes()).size).toBe(2);
  const scopeOf = async (name: string) => (await server.live.surfaceFor(principalNamed(name, {}).principal)).scope;
  expect(await scopeOf("ada")).toBe(await scopeOf("ada"));
  expect(await scopeOf("ada")).not.toBe(await scopeOf("bob"));
});
