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

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

interface Started {
  readonly pack: UpstreamPack;
  readonly log: string;
  readonly client: Client;
}

/** Ends a server that has a child process. */
async function expectNothingLeft({ pack, log, client }: Started): Promise<void> {
  const helper = Number(textOf(await invoke(client, "rough_fork")));
  const [server = 0] = pids(log);
  await pack.remote.end();
  expect(await isGone(server)).toBe(true);
  expect(await isGone(helper)).toBe(true);
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

  test("floods stderr, sends invalid lines or returns 200 MB goes on, and fails only calls with such a result, in bounded memory", async () => {
    const shown: string[] = [];
    const { pack, log } = rough("plain", { log: (_, message) => shown.push(message) });
    const { client } = await connectThrough([pack, good()]);
    expect(textOf(await invoke(client, "rough_flood"))).toBe("flooded");
    expect(shown.length).toBeLessThan(250);
    expect(textOf(await invoke(client, "rough_junk"))).toBe("after junk");
    await expectGoodServer(client);
    const before = process.memoryUsage().rss;
    let highest = before;
    const watch = setInterval(() => (highest = Math.max(highest, process.memoryUsage().rss)), 10);
    for (const name of ["big", "big_last"]) {
      const result = await invoke(client, `rough_${name}`);
      expect(textOf(result)).toMatch(/^too_large: rough: the answer is larger than 20,000,000 bytes/);
    }
    clearInterval(watch);
    expect(highest - before).toBeLessThan(150_000_000);
    expect(textOf(await invoke(client, "rough_say"))).toContain("pid");
    expect(pids(log)).toHaveLength(1);
    await expectGoodServer(client);
    await expectNothingLeft({ pack, log, client });
  });

  test("does not start fails its calls with the last line of stderr, which is logged, and no other server's", async () => {
    const lines: string[] = [];
    const { pack } = rough("broken", { log: (level, message) => void lines.push(`${level}: ${message}`) });
    const { client } = await connectThrough([pack, good()]);
    await expectGoodServer(client);
    expect(textOf(await invoke(client, "rough_say"))).toMatch(
      /^unavailable: .*it ended with exit code 1 before it answered; stderr: Error: no licence/,
    );
    expect(lines).toContain("debug: Error: no licence");
  });

  test.skipIf(!isCampaign)(
    "exits on a request of the 2026 protocol is started again with an older protocol",
    async () => {
      const { pack } = rough("abrupt");
      const { client } = await connectThrough([pack]);
      expect(textOf(await invoke(client, "rough_say"))).toContain("pid");
    },
  );

  test("ignores signals leaves no process behind when it is ended, including child processes", async () => {
    const { pack, log } = rough("stubborn");
    const { client } = await connectThrough([pack]);
    await expectNothingLeft({ pack, log, client });
  });
});

const invoked = (name: string, args: object = {}) => ({ name: "tool_invoke", arguments: { name, args } });

/** The campaign starts the server for all callers, too. */
const identities = isCampaign ? ["caller", "shared"] : ["caller"];

test.each(identities as ("caller" | "shared")[])(
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
  const command = { command: process.execPath, args: [official("everything")], env: { GIVEN: "yes" } };
  const client = await connectServer({ name: "every", ...command });
  const seen = JSON.parse(textOf(await client.callTool({ name: "get-env", arguments: {} }))) as Record<string, string>;
  await client.close();
  for (const name of Object.keys({ ...network, ...npm, ...secret })) delete process.env[name];
  expect(seen).toMatchObject({ GIVEN: "yes", ...network, ...npm });
  expect(Object.keys(seen).filter((name) => name in secret)).toEqual([]);
  const known = new Set(["GIVEN", "HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", ...Object.keys(network)]);
  const isKnown = (name: string) => known.has(name) || /^(npm_config_|SSL_CERT_)|_proxy$/i.test(name);
  expect(Object.keys(seen).filter((name) => !isKnown(name))).toEqual([]);
});
