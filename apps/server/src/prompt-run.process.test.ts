import { readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { startModelEndpoint } from "@toolpacks/testkit";
import { expect, onTestFinished, test } from "vitest";
import { cli, dataFolder, folder } from "./command.fixture.ts";

/** Starts a server that can be killed. */
async function serve(home: string) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const flags = ["--surface", "direct", "--store", path.join(home, "store.db"), "--results", "structured", "--write"];
  const args = [cli, "--trust", ...flags, "--log-level", "silent"];
  const transport = new StdioClientTransport({
    command: process.execPath,
    args,
    cwd: home,
    env: dataFolder,
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  const call = async (name: string, given: Record<string, unknown>) => {
    const { structuredContent } = await client.callTool({ name, arguments: given }, { timeout: 60_000 });
    return structuredContent as Readonly<Record<string, unknown>>;
  };
  return { call, kill: () => process.kill(transport.pid ?? 0, "SIGKILL") };
}

test("a batch of 100 prompts in three groups is killed and resumed, and no prompt is asked twice whose answer was kept", async () => {
  const endpoint = await startModelEndpoint([
    ({ prompt }) => {
      if (endpoint.asked.length === 55) killed.resolve();
      return `<${prompt.slice(0, 8)}>`;
    },
  ]);
  onTestFinished(() => endpoint.close());
  const killed = Promise.withResolvers<void>();
  const models = { small: { url: endpoint.baseUrl, price: { input: 1, output: 2 } } };
  const home = folder({
    "toolpacks.config.json": JSON.stringify({ packs: { prompts: true }, roots: ["."], models }),
  });
  const first = await serve(home);
  const prompts = Array.from({ length: 100 }, (_, at) => {
    const group = at < 40 ? 1 : at < 80 ? 2 : 3;
    return {
      id: `n${at}`,
      group,
      text: group === 1 ? `ask ${at}` : `ask ${at} {{a}}`,
      ...(group > 1 && { answers: { a: `n${at - 40}` } }),
      ...(at % 10 === 0 && { to: { file: `n${at}.md` } }),
    };
  });
  const running = first.call("prompt_run", { prompts }).catch(() => undefined);
  await killed.promise;
  first.kill();
  await running;
  const second = await serve(home);
  const left = await second.call("workflow_report", { format: "data" });
  const { report, status, results } = left;
  expect(status).toBe("interrupted");
  const kept = Object.keys(results as object).filter((id) => prompts.some((one) => one.id === id));
  expect(kept.length).toBeGreaterThanOrEqual(40);
  expect(kept.length).toBeLessThan(100);
  const value = (await second.call("prompt_run", { resume: report })) as { prompts: { status: string }[] };
  expect(value.prompts).toHaveLength(100);
  expect(value.prompts.filter(({ status }) => status !== "answered")).toEqual([]);
  const times = (id: string) =>
    endpoint.asked.filter(({ prompt }) => `${prompt} `.startsWith(`ask ${id.slice(1)} `)).length;
  expect(kept.filter((id) => times(id) !== 1)).toEqual([]);
  // Only the prompts that were on their way when the server was killed may be asked again.
  expect(endpoint.asked.length).toBeLessThanOrEqual(100 + 8);
  for (const { id, to } of prompts) {
    if (to !== undefined)
      expect(readFileSync(path.join(home, to.file), "utf8")).toBe(
        `<ask ${id.slice(1)}${id.length < 5 && Number(id.slice(1)) >= 40 ? " <" : ""}`.slice(0, 9) + ">\n",
      );
  }
});
