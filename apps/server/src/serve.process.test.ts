import { writeFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { Client as ModernClient } from "@modelcontextprotocol/client";
import { Client as FirstClient } from "@modelcontextprotocol/sdk/client/index.js";
import { describe, expect, test, afterAll, beforeAll } from "vitest";
import { folder } from "./run-cli.fixture.ts";
import { serveHttpHere, serveRaw, serverTransport } from "./serve.fixture.ts";
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { cli } from "./command.process.fixture.ts";
import { httpClients } from "./http-clients.process.fixture.ts";
import { tokenFile } from "./http-server.process.fixture.ts";

const info = { name: "test", version: "1.0.0" };
const transport = (cwd: string, flags: readonly string[]) => serverTransport(["--root", cwd, ...flags], { cwd });

const clients = {
  "a 1.x client": async (cwd: string, flags: readonly string[]) => {
    const client = new FirstClient(info);
    await client.connect(transport(cwd, flags));
    return client;
  },
  "a 2.x client of protocol 2025-11-25": async (cwd: string, flags: readonly string[]) => {
    const client = new ModernClient(info);
    await client.connect(transport(cwd, flags));
    return client;
  },
  "a 2.x client that negotiates": async (cwd: string, flags: readonly string[]) => {
    const client = new ModernClient(info, { versionNegotiation: { mode: "auto" } });
    await client.connect(transport(cwd, flags));
    return client;
  },
};

describe("toolpacks", () => {
  test.each(Object.entries(clients))("serves %s: list, search, read", async (_, connect) => {
    const cwd = folder({ "hello.txt": "hello there\n" });
    const client = await connect(cwd, []);
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual(coreTools);
    const found = await client.callTool({ name: "tool_search", arguments: { query: "read a file", limit: 1 } });
    expect(JSON.stringify(found.content)).toContain("fs_read(");
    const read = await client.callTool({
      name: "tool_read",
      arguments: { name: "fs_read", args: { path: "hello.txt" } },
    });
    expect(read.content).toEqual([{ type: "text", text: "hello there\n" }]);
    expect(client.getServerVersion()?.name).toBe("toolpacks");
    expect(client.getServerCapabilities()?.tools?.listChanged ?? false).toBe(false);
    expect(client.getInstructions()).toContain("filesystem");
    await client.close();
  });

  test("lists one pack directly with --facet, and says how to mount the others", async () => {
    const client = await clients["a 1.x client"](folder(), ["--facet", "filesystem", "--write"]);
    expect((await client.listTools()).tools).toHaveLength(9);
    await client.close();
  });
});

test("a client pinned to protocol 2026-07-28 is served", async () => {
  const cwd = folder({ "hello.txt": "hello" });
  const client = new ModernClient(info, { versionNegotiation: { mode: { pin: "2026-07-28" } } });
  await client.connect(transport(cwd, []));
  expect((await client.listTools()).tools).toHaveLength(9);
  await client.close();
});

const coreTools = [
  "tool_search",
  "tool_describe",
  "tool_read",
  "tool_invoke",
  "store_put",
  "store_query",
  "store_close",
  "workflow_eval",
  "relay_read",
];

test.each(["{ broken", '{ "surface": "sideways" }', '{ "packs": { "./missing.mjs": {} } }'])(
  "a broken config %s ends the server with one line on stderr",
  async (text) => {
    const server = serveRaw([], { cwd: folder({ "toolpacks.config.json": text }) });
    expect(await server.ended).toBe(2);
    expect(server.output.stdout).toBe("");
    expect(server.output.stderr).toContain("toolpacks.config.json");
    expect(server.output.stderr.trim().split("\n")).toHaveLength(1);
  },
);

test("--watch applies a change of the config file, notifies the client, and keeps the last valid config", async () => {
  const cwd = folder({ "toolpacks.config.json": "{}" });
  const config = path.join(cwd, "toolpacks.config.json");
  const client = new ModernClient(info);
  let changes = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => {
    changes += 1;
  });
  await client.connect(transport(cwd, ["--watch"]));
  expect(client.getServerCapabilities()?.tools?.listChanged).toBe(true);
  expect((await client.listTools()).tools).toHaveLength(9);
  // The files are watched soon after the first answer.
  await wait(200);

  writeFileSync(config, '{ "expose": ["core", "filesystem"] }');
  await expect.poll(() => changes, { timeout: 5_000 }).toBe(1);
  const listed = async () => (await client.listTools(undefined, { cacheMode: "refresh" } as never)).tools.length;
  expect(await listed()).toBe(12);

  writeFileSync(config, "{ broken");
  await wait(500);
  expect(await listed()).toBe(12);
  expect(changes).toBe(1);
  await client.close();
});

let token: string | undefined;
let server: Awaited<ReturnType<typeof serveHttpHere>>;

beforeAll(async () => {
  const { file, tokens } = await tokenFile({ ada: [] });
  token = tokens["ada"];
  server = await serveHttpHere(["--tokens", file, "--root", folder({ "hello.txt": "hello from a file" })]);
});
afterAll(() => server.stop());

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;
const programs = Object.entries(httpClients).filter(([name]) => name === "Inspector, protocol 2026-07-28");
const libraries = Object.entries(httpClients).filter(([, { isProgram }]) => !isProgram);
/** The campaign asks programs all that libraries are asked, each question with a process. */
const asked = isCampaign ? Object.entries(httpClients) : libraries;

test.concurrent.each(programs)("%s calls a tool", async (_, { connect }) => {
  const client = await connect({ url: server.url, token });
  const result = await client.call("tool_read", { name: "fs_read", args: { path: "hello.txt" } });
  expect(result).toContain("hello from a file");
});

test.concurrent.each(asked)("%s lists the tools, finds one and calls it", async (_, { connect }) => {
  const client = await connect({ url: server.url, token });
  const [listed, found, result] = await Promise.all([
    client.list(),
    client.call("tool_search", { query: "read a text file" }),
    client.call("tool_read", { name: "fs_read", args: { path: "hello.txt" } }),
  ]);
  for (const name of ["tool_search", "tool_describe", "tool_read", "tool_invoke"]) expect(listed).toContain(name);
  expect(found).toContain("fs_read");
  expect(result).toContain("hello from a file");
  await client.close();
});

test.concurrent.each(asked.filter(([, { unknownTool }]) => unknownTool !== undefined))(
  "%s shows that a tool does not exist",
  async (_, { connect, unknownTool }) => {
    const client = await connect({ url: server.url, token });
    expect(await client.call("no_such_tool", {})).toContain(unknownTool);
    await client.close();
  },
);

test.concurrent.each(asked)("%s shows that a token is required", async (_, { connect, unauthorized }) => {
  const shown = await connect({ url: server.url, token: undefined })
    .then((client) => client.list())
    .catch((error: unknown) => String(error));
  expect(shown).toContain(unauthorized);
});

const mcporter = fileURLToPath(new URL("../node_modules/mcporter/dist/cli.js", import.meta.url));

/** Another vendor's client, as its users run it. */
async function ask(cwd: string, args: readonly string[]): Promise<string> {
  const server = `${process.execPath} ${cli} --root ${cwd} --log-level silent`;
  const { stdout } = await promisify(execFile)(process.execPath, [mcporter, ...args, "--stdio", server], {
    cwd,
    env: { ...process.env, HOME: cwd },
  });
  return stdout;
}

test.skipIf(!isCampaign)("mcporter starts the command, and calls a tool", async () => {
  const cwd = folder({ "hello.txt": "hello from a file" });
  const args = JSON.stringify({ name: "fs_read", args: { path: "hello.txt" } });
  expect(await ask(cwd, ["call", "tool_read", "--args", args])).toContain("hello from a file");
});
