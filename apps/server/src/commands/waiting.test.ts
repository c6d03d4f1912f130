import { writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

const server = fileURLToPath(new URL("../../../../packages/upstream/src/rough-server.fixture.ts", import.meta.url));

/** A folder with a server that answers after some time, and folders for its data. */
function slowServer(ms: number) {
  const start = `setTimeout(() => import(${JSON.stringify(server)}), ${ms})`;
  const slow = { command: process.execPath, args: ["--input-type=module", "-e", start] };
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ mcpServers: { slow } }) });
  return { cwd, env: { XDG_CACHE_HOME: path.join(cwd, "cache"), XDG_DATA_HOME: path.join(cwd, "data") } };
}

const commands = [["doctor"], ["search", "say a text"], ["call", "slow_say", "text=hello"], ["accept", "slow"]];

describe("after 2 s", { timeout: 30_000 }, () => {
  test.each(commands)("%s names the server that it waits for", async (...args) => {
    const { stdout, stderr } = await run([...args, "--trust"], slowServer(2_800));
    expect(stderr).toMatch(/^waiting for slow \(2 s\)$/m);
    expect(stdout.trim()).not.toBe("");
  });

  test("a faster server is not named", async () => {
    expect((await run(["search", "say a text"], slowServer(100))).stderr).not.toContain("waiting for");
  });
});

describe("--json prints the list of", () => {
  test("trust --list", async () => {
    const env = { XDG_CONFIG_HOME: folder(), XDG_DATA_HOME: folder() };
    const cwd = folder({ "toolpacks.config.json": '{"write":true}' });
    await run(["trust", "--yes"], { cwd, env });
    const file = path.join(cwd, "toolpacks.config.json");
    const list = async () => JSON.parse((await run(["trust", "--list", "--json"], { cwd, env })).stdout) as unknown;
    expect(await list()).toEqual([{ file, state: "trusted" }]);
    writeFileSync(file, '{"write":false}');
    expect(await list()).toEqual([{ file, state: "changed" }]);
  });

  test("accept", async () => {
    const { stdout } = await run(["accept", "slow", "--json"], slowServer(0));
    expect(JSON.parse(stdout)).toEqual({ server: "slow", changes: [], warnings: expect.any(Array) as unknown[] });
  });

  test("import-clients, without the values of variables", async () => {
    const block = { command: "echo", env: { TOKEN: "s3cr3t" } };
    const cwd = folder({
      ".mcp.json": JSON.stringify({ mcpServers: { notes: block, gone: { command: "x", disabled: true } } }),
    });
    const env = { HOME: folder(), XDG_CONFIG_HOME: folder() };
    const { stdout } = await run(["import-clients", "--shared", "--json"], { cwd, env });
    expect(stdout).not.toContain("s3cr3t");
    expect((JSON.parse(stdout) as { files: unknown }).files).toEqual([
      {
        client: expect.any(String) as string,
        file: path.join(cwd, ".mcp.json"),
        servers: [
          { name: "notes", moves: true, warnings: [] },
          { name: "gone", moves: false, reason: "it is disabled" },
        ],
      },
    ]);
  });

  test.each([
    [["trust", "--json"], "--json: requires --list; drop --json"],
    [["trust", "--list", "--revoke"], "--list and --revoke: expected one of them"],
    [["import-clients", "--apply", "--json"], "--json: only shows what would move; drop --json, or --apply and --undo"],
  ])("%j is refused", async (args, message) => {
    expect(await run(args)).toMatchObject({ code: 2, stderr: `toolpacks: ${message}\n` });
  });
});
