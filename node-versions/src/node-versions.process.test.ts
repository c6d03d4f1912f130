import { execFile } from "node:child_process";
import { cpSync, existsSync, globSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { connectServer } from "../../apps/server/src/serve.fixture.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const cli = path.join(root, "apps/server/dist/cli.js");
const cases = path.join(root, "packages/cases/dist/command/cli.js");
const installed = (name: string) => path.join(root, "node-versions/node_modules", name, "bin/node");

const oldest = installed("node-22-lowest");

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

/** Node.js of line 24 runs the tests themselves. */
const supported: readonly (readonly [name: string, node: string])[] = [
  ["the lowest of line 22", oldest],
  ...(isCampaign ? ([["the newest of line 22", installed("node-22-newest")]] as const) : []),
  ["the newest of line 26", installed("node-26-newest")],
];

interface Finished {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run([node, ...args]: readonly [string, ...string[]], cwd: string, variables: object = {}): Promise<Finished> {
  // The vitest that the test starts must not use the settings of the vitest that runs the test.
  const { VITEST: _, VITEST_MODE: __, VITEST_WORKER_ID: ___, VITEST_POOL_ID: ____, ...env } = process.env;
  const options = { cwd, env: { ...env, NO_COLOR: "1", TOOLPACKS_SEQUENCES: "20", ...variables } };
  return new Promise((resolve) => {
    const child = execFile(node, args, options, (error, stdout, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stdout, stderr });
    });
    child.stdin?.end();
  });
}

function project(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "node-versions-"));
  writeFileSync(path.join(folder, "a.go"), "package a\n\nfunc Add() {}\n");
  return folder;
}

/** Calls of each pack and of the store tools, with the expected text of the result. */
const calls: readonly (readonly [tool: string, args: Record<string, unknown>, answer: RegExp])[] = [
  ["fs_read", { path: "a.go" }, /func Add/],
  ["fs_write", { path: "b.txt", content: "text" }, /b\.txt/],
  ["search_text", { pattern: "func" }, /3: func Add/],
  ["search_symbols", {}, /function Add/],
  ["store_put", { kind: "reminder", record: { text: "Water the plants", due: "2027-01-04" } }, /Water the plants/],
  ["store_query", { kind: "reminder", text: "plants", sort: ["due"] }, /Water the plants/],
  ["memory_remember", { entity: "Ada", observations: ["Writes notes on engines."] }, /entity Ada, new/],
  ["memory_remember", { entity: "Ada", observations: ["Writes letters."] }, /entity Ada/],
  ["memory_recall", { query: "engines" }, /notes on engines/],
  ["memory_forget", { entity: "Ada", permanent: true }, /Ada/],
  ["issue_create", { issues: [{ title: "Mend the pump" }] }, /Mend the pump/],
  ["issue_ready", {}, /Mend the pump/],
  [
    "workflow_eval",
    {
      steps: [
        { tool: "fs_read", params: { path: "a.go" } },
        { tool: "search_text", params: { pattern: "Add" } },
      ],
    },
    /func Add/,
  ],
];

/** Starts a server with a store in the folder, and connects to it. */
async function serve(node: string, cwd: string) {
  const args = [cli, "--root", ".", "--write", "--surface", "direct", "--store", "store.db"];
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StdioClientTransport({ command: node, args, cwd, stderr: "pipe" });
  let stderr = "";
  transport.stderr?.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  await client.connect(transport);
  return { client, stderr: () => stderr };
}

describe.each(supported)("on %s of Node.js", (_, node) => {
  const isInstalled = existsSync(node);
  if (!isInstalled) console.warn(`skipped: ${node} is not installed; it comes with pnpm install on Linux, x64`);

  test.skipIf(!isInstalled)("the server calls a tool of each pack over stdio, without a warning", async () => {
    const { client, stderr } = await serve(node, project());
    for (const [name, args_, answer] of calls) {
      const { content } = await client.callTool({ name, arguments: args_ });
      const text = content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
      expect(text, name).toMatch(answer);
    }
    await client.close();
    expect(stderr()).not.toMatch(/warning/i);
  });

  // The oldest SQLite deletes the log of a store when it ends and finds no lock of another process on the file.
  test.skipIf(!isInstalled || node !== oldest)(
    "a command that ends leaves the store to servers of line 24",
    async () => {
      const cwd = project();
      // Line 24 runs this test.
      const flags = ["--root", ".", "--write", "--surface", "direct", "--store", "store.db"];
      const servers = [await connectServer(flags, { cwd })];
      const create = async (description: string) => {
        for (const { client } of servers) {
          const args = { issues: [{ title: "Mend the pump", description }] };
          const { content, isError } = await client.callTool({ name: "issue_create", arguments: args });
          expect(isError ?? false, JSON.stringify(content).slice(0, 300)).toBe(false);
        }
      };
      // More than 1,000 pages, after which SQLite copies the log into the file.
      for (let count = 0; count < 140; count += 1) await create("words ".repeat(10_000));
      const command = [cli, "issues", "create", "Mend the pump", "--root", ".", "--store", "store.db"];
      expect(await run([node, ...command], cwd)).toMatchObject({ code: 0 });
      await create("later");
      for (const { client } of servers) await client.close();
    },
  );

  test.skipIf(!isInstalled || !isCampaign)("doctor finds no problems, and writes nothing to stderr", async () => {
    const { code, stdout, stderr } = await run([node, cli, "doctor", "--root", ".", "--store", "store.db"], project());
    expect(stdout).toMatch(/no problems/);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });

  test.skipIf(!isInstalled || !isCampaign)("toolpacks-cases counts tokens without installed packages", async () => {
    const cwd = project();
    cpSync(path.dirname(cases), path.join(cwd, "command"), { recursive: true });
    const args = [path.join(cwd, "command/cli.js"), "a.go", "--profile", "none", "--print-tools", "--max-retries", "0"];
    const address = { NONE_BASE_URL: "http://127.0.0.1:9/v1", NONE_MODEL: "m" };
    const { code, stdout, stderr } = await run([node, ...args], cwd, address);
    expect(stderr).toMatch(/^\d+ tools, \d+ tokens$/m);
    expect([code, stdout]).toEqual([2, expect.stringContaining("NOT RUN")]);
  });

  // The whole suite runs on line 24.
  test.skipIf(!isInstalled || !isCampaign)(
    "the SQLite store passes the contract of stores",
    { timeout: 240_000 },
    async () => {
      const contract = "packages/stores/sqlite/src/sqlite-store.test.ts";
      const { code, stdout, stderr } = await run([node, "node_modules/vitest/vitest.mjs", "run", contract], root);
      expect(stdout, stderr).toMatch(/Tests {2}\d+ passed/);
      expect(code).toBe(0);
    },
  );
});

const tooOld = installed("node-20");

test.skipIf(!existsSync(tooOld))(
  "on Node.js 20 every command ends with code 2, and one line names the required version",
  async () => {
    for (const args of [[cli, "serve", "--root", "."], ...(isCampaign ? [[cases, "a.md"]] : [])]) {
      const command = args[0] === cli ? "toolpacks" : "toolpacks-cases";
      const { code, stdout, stderr } = await run([tooOld, ...args], project());
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
      expect(stderr).toMatch(
        new RegExp(
          `^${command}: Node\\.js 20\\.\\d+\\.\\d+ cannot run ${command}; install Node\\.js 24 or newer .*\\n$`,
        ),
      );
    }
  },
);

test("every published package declares the range of Node.js versions that is tested here", () => {
  const manifests = globSync(["packages/*/package.json", "packages/*/*/package.json", "apps/*/package.json"], {
    cwd: root,
  });
  const ranges = manifests.map((file) => {
    const { engines } = JSON.parse(readFileSync(path.join(root, file), "utf8")) as { engines?: { node?: string } };
    return [file, engines?.node];
  });
  expect(manifests.length).toBeGreaterThan(10);
  for (const [file, range] of ranges) expect(range, file).toBe("^22.16.0 || >=24.0.0");
});
