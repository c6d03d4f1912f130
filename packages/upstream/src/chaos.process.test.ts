import { readFileSync } from "node:fs";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { CallToolResult, Client, ContentBlock } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import type { UpstreamOptions } from "./options.ts";
import { roughServer } from "./rough.fixture.ts";
import type { UpstreamPack } from "./upstream.ts";
import { connectThrough, createUpstream, folder } from "./wire.fixture.ts";

const program = fileURLToPath(new URL("./rough-server.fixture.ts", import.meta.url));

function rough(manner: string, more: Partial<UpstreamOptions> = {}): { pack: UpstreamPack; log: string } {
  const log = path.join(folder(), "log");
  const options = { name: "rough", command: process.execPath, args: [program, manner, log], ...more };
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
