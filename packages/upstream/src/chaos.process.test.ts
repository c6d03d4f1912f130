import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type CallToolResult, type Client, type ContentBlock } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { type UpstreamOptions } from "./options.ts";
import { roughServer } from "./rough.fixture.ts";
import { type UpstreamPack } from "./upstream.ts";
import { connectThrough, createUpstream, folder, connectAs, credentialsOf, official } from "./wire.fixture.ts";
import { createSurface } from "@toolpacks/surface";
import { connectServer } from "./connect-server.ts";

const program = (name: string) => fileURLToPath(new URL(`./${name}.fixture.ts`, import.meta.url));

function rough(manner: string, more: Partial<UpstreamOptions> = {}): { pack: UpstreamPack; log: string } {
  const log = path.join(folder(), "log");
  const options = { name: "rough", command: process.execPath, args: [program("rough-server"), manner, log], ...more };
  return { pack: createUpstream(options), log };
}

const good = () => createUpstream({ name: "good", open: roughServer().open });

function invoke(client: Client, name: string, args: object = {}): Promise<CallToolResult> {
  return client.callTool({ name: "tool_invoke", arguments: { name, args } });
}

function textOf({ content }: { content: readonly ContentBlock[] }): string {
  return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
}

async function expectGoodServer(client: Client): Promise<void> {
  expect(textOf(await invoke(client, "good_say", { text: "well" }))).toContain('"text":"well"');
}

const pids = (log: string) => readFileSync(log, "utf8").trim().split("\n").map(Number);

async function isGone(pid: number): Promise<boolean> {
  for (let tries = 0; tries < 100; tries += 1) {
    try {
      process.kill(pid, 0);
    } catch {
      return true;
    }
    await delay(50);
  }
  return false;
}

describe("an upstream whose process", () => {
  test("dies while its child process holds the pipes fails the call at once", async () => {
    const { pack } = rough("leaving");
    const { client } = await connectThrough([pack]);
    await invoke(client, "rough_say");
    const began = performance.now();
    expect(textOf(await invoke(client, "rough_desert"))).toMatch(
      /^unavailable: rough stopped during the call: it ended with exit code 3/,
    );
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  test("ends right after its response loses neither the response nor progress", async () => {
    const { pack } = rough("leaving");
    const { client } = await connectThrough([pack]);
    const seen: number[] = [];
    const onprogress = ({ progress }: { progress: number }) => seen.push(progress);
    const result = await client.callTool({ name: "tool_invoke", arguments: { name: "rough_last" } }, { onprogress });
    expect(textOf(result)).toBe("the last words");
    expect(seen.at(-1)).toBe(20);
  });

  test("dies repeatedly is restarted after growing pauses, and the error says when", async () => {
    const { pack, log } = rough("plain");
    const { client } = await connectThrough([pack]);
    for (let times = 0; times < 3; times += 1) await invoke(client, "rough_die");
    const result = await invoke(client, "rough_die");
    expect(textOf(result)).toMatch(
      /^unavailable: rough is down: it ended with exit code 3\nIt can be started again in 2 s\./,
    );
    expect(pids(log)).toHaveLength(3);
  });

  test("floods stderr still answers, and little of stderr is logged", async () => {
    const shown: string[] = [];
    const { pack } = rough("plain", { log: (_, message) => shown.push(message) });
    const { client } = await connectThrough([pack]);
    expect(textOf(await invoke(client, "rough_flood"))).toBe("flooded");
    expect(shown.length).toBeLessThan(250);
  });

  test("sends invalid lines still answers", async () => {
    const { pack } = rough("plain");
    const { client } = await connectThrough([pack]);
    expect(textOf(await invoke(client, "rough_junk"))).toBe("after junk");
  });

  test.each(["big", "big_last"])(
    "returns 200 MB (%s) fails the call with too_large, in bounded memory",
    async (name) => {
      const { pack, log } = rough("plain");
      const { client } = await connectThrough([pack, good()]);
      await expectGoodServer(client);
      const before = process.memoryUsage().rss;
      let highest = before;
      const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 10);
      const result = await invoke(client, `rough_${name}`);
      clearInterval(watch);
      expect(textOf(result)).toMatch(/^too_large: rough: the answer is larger than 20,000,000 bytes/);
      expect(highest - before).toBeLessThan(150_000_000);
      // The call failed. The server did not.
      expect(textOf(await invoke(client, "rough_say"))).toContain("pid");
      expect(pids(log)).toHaveLength(1);
      await expectGoodServer(client);
    },
  );

  test("does not start fails its calls with the last line of stderr, and no other server's", async () => {
    const { pack } = rough("broken");
    const { client } = await connectThrough([pack, good()]);
    await expectGoodServer(client);
    expect(textOf(await invoke(client, "rough_say"))).toMatch(/^unavailable: .*no licence/);
  });

  test("exits on a request of the 2026 protocol is started again with an older protocol", async () => {
    const { pack } = rough("abrupt");
    const { client } = await connectThrough([pack]);
    expect(textOf(await invoke(client, "rough_say"))).toContain("pid");
  });

  test.each(["plain", "stubborn"])(
    "is ended (%s) leaves no process behind, including child processes",
    async (manner) => {
      const { pack, log } = rough(manner);
      const { client } = await connectThrough([pack]);
      const helper = Number(textOf(await invoke(client, "rough_fork")));
      const [server = 0] = pids(log);
      await pack.remote.end();
      expect(await isGone(server)).toBe(true);
      expect(await isGone(helper)).toBe(true);
    },
  );
});

const invoked = (name: string, args: object = {}) => ({ name: "tool_invoke", arguments: { name, args } });

test.each(["shared", "caller"] as const)(
  "with the identity %s, the token of our caller is not passed on to a process: neither in variables nor in messages",
  async (identity) => {
    const canary = "canary-token-of-our-caller";
    const file = path.join(folder(), "seen");
    const args = [program("canary-server"), file];
    const pack = createUpstream({ name: "own", command: process.execPath, args, identity, caller: "ada" });
    const client = await connectAs(await createSurface({ packs: [pack] }), credentialsOf("ada", canary));
    expect((await client.callTool(invoked("own_say"))).isError).not.toBe(true);
    for (const { name } of (await client.listPrompts()).prompts) await client.getPrompt({ name });
    for (const { uri } of (await client.listResources()).resources) await client.readResource({ uri });
    const seen = readFileSync(file, "utf8");
    for (const method of ["tools/call", "prompts/get", "resources/read"]) expect(seen).toContain(method);
    expect(seen).not.toContain(canary);
  },
);

test("stderr is logged as debug, and as a warning when the server ends unexpectedly", async () => {
  const lines: string[] = [];
  const script = `
    process.stderr.write("all is well\\n");
    setTimeout(() => {
      process.stderr.write("Error: no licence\\n    at give (server.js:1:1)\\n\\nNode.js v24.0.0\\n");
      process.exit(1);
    }, 300);`;
  const log = (level: string, message: string) => void lines.push(`${level}: ${message}`);
  const pack = createUpstream({ name: "own", command: process.execPath, args: ["-e", script], log });
  const { problem } = await pack.check();
  expect(problem?.message).toMatch(/it ended with exit code 1 before it answered; stderr: Error: no licence$/);
  expect(lines).toContain("debug: all is well");
});

test("connectServer lists a program's tools under their own names", async () => {
  const args = [official("filesystem"), folder()];
  const client = await connectServer({ name: "files", command: process.execPath, args });
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toContain("read_text_file");
  const answer = await client.callTool({ name: "list_allowed_directories", arguments: {} });
  expect(JSON.stringify(answer.content)).toContain(args[1]);
  await client.close();
});

test("a child process gets the variables named for it, those of the network and npm, and no other", async () => {
  const network = { NODE_EXTRA_CA_CERTS: "/ca.pem", HTTPS_PROXY: "http://p:1", no_proxy: "a.example" };
  const npm = {
    npm_config_registry: "http://r/",
    "npm_config_@own:registry": "http://o/",
    NPM_CONFIG_CAFILE: "/ca.pem",
  };
  const secret = {
    TOOLPACKS_TEST_SECRET: "hidden",
    npm_config__auth: "hidden",
    "npm_config_//r/:_authToken": "hidden",
    npm_config__password: "hidden",
    npm_config_package: "other",
  };
  Object.assign(process.env, network, npm, secret);
  const pack = createUpstream({
    name: "every",
    command: process.execPath,
    args: [official("everything")],
    env: { GIVEN: "yes" },
  });
  const { client } = await connectThrough([pack]);
  const seen = JSON.parse(textOf(await client.callTool(invoked("every_get_env")))) as Record<string, string>;
  for (const name of Object.keys({ ...network, ...npm, ...secret })) delete process.env[name];
  expect(seen).toMatchObject({ GIVEN: "yes", ...network, ...npm });
  expect(Object.keys(seen).filter((name) => name in secret)).toEqual([]);
  const known = new Set(["GIVEN", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", ...Object.keys(network)]);
  const isKnown = (name: string) => known.has(name) || /^(npm_config_|SSL_CERT_)|_proxy$/i.test(name);
  expect(Object.keys(seen).filter((name) => !isKnown(name))).toEqual([]);
});
