import { execFile, execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { root } from "./readme/code-blocks.ts";
import { installWith } from "./readme/installation.ts";

const run = promisify(execFile);
const vitest = path.join(root, "node_modules/vitest/vitest.mjs");
const tsc = path.join(root, "node_modules/.bin/tsc");
const environment = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", CI: "true" };

/** Has the built packages in its node_modules, as npm installs them. */
let folder = "";

beforeAll(() => {
  folder = installWith("zod");
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs `npm create toolpack` in the folder. */
const create = (...args: readonly string[]) =>
  run(process.execPath, [path.join(root, "packages/create-toolpack/dist/main.js"), ...args], { cwd: folder });

/** Mounts a module by the config file of the built server, and calls one of its tools. */
async function callMounted(module: string, tool: { readonly name: string; readonly args: object }): Promise<string> {
  const config = path.join(folder, "toolpacks.json");
  writeFileSync(config, JSON.stringify({ packs: { [module]: {} } }));
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [
      path.join(root, "apps/server/dist/cli.js"),
      "--config",
      config,
      "--store",
      path.join(folder, "store.db"),
      "--surface",
      "direct",
    ],
    cwd: folder,
    stderr: "ignore",
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  try {
    return JSON.stringify(await client.callTool({ name: tool.name, arguments: { ...tool.args } }));
  } finally {
    await client.close();
  }
}

/** The campaign also makes a pack without a store. */
const withoutStore = {
  name: "word-count",
  flags: [],
  calls: [{ name: "word_count_count", args: { text: "a b c" } }],
  answer: '"words":3',
};

describe.each([
  ...(process.env["TOOLPACKS_CAMPAIGN"] === undefined ? [] : [withoutStore]),
  {
    name: "diary",
    flags: ["--store"],
    calls: [
      { name: "diary_add", args: { text: "It rained." } },
      { name: "diary_list", args: {} },
    ],
    answer: '"text":"It rained."',
  },
])("the created pack $name", ({ name, flags, calls, answer }) => {
  beforeAll(async () => {
    await create(name, ...flags);
  });

  test("names versions that npm resolves", () => {
    const manifest = readFileSync(path.join(folder, name, "package.json"), "utf8");
    expect(manifest).not.toMatch(/catalog:|workspace:|\{\{/);
    expect(manifest.includes("@toolpacks/store-sqlite")).toBe(flags.length > 0);
    expect(existsSync(path.join(folder, name, ".gitignore"))).toBe(true);
    expect(existsSync(path.join(folder, name, ".github/workflows/ci.yml"))).toBe(true);
  });

  test("passes its tests, its type check and its build, and works on the built server", async () => {
    const cwd = path.join(folder, name);
    const { stdout } = await run(process.execPath, [vitest, "run"], { cwd, env: environment });
    expect(stdout).toMatch(/Tests .* passed/);
    await run(tsc, [], { cwd });
    await run(tsc, ["-p", "tsconfig.build.json"], { cwd });
    const answers = [];
    for (const call of calls) answers.push(await callMounted(`./${name}/dist/index.js`, call));
    expect(answers.at(-1)?.replaceAll('\\"', '"')).toContain(answer);
  });
});

test.each(["custom-pack", "records-pack"])(
  "examples/%s, copied out of the repository, passes its tests with the built packages",
  async (example) => {
    const cwd = path.join(folder, example);
    const isOurs = (file: string) => path.basename(file) !== "node_modules";
    cpSync(path.join(root, "examples", example), cwd, { recursive: true, filter: isOurs });
    const { stdout } = await run(process.execPath, [vitest, "run"], { cwd, env: environment });
    expect(stdout).toMatch(/Tests .* passed/);
  },
);

test.each(["sdk-1.ts", "sdk-2.ts"])(
  "the server %s of examples/existing-server has its own tool and the tools of both packs",
  async (file) => {
    const files = mkdtempSync(path.join(tmpdir(), "existing-server-"));
    onTestFinished(() => rmSync(files, { recursive: true }));
    writeFileSync(path.join(files, "a.txt"), "Water the plants.");
    const program = path.join(root, "examples/existing-server/src", file);
    const args = ["--conditions=@toolpacks/source", program, files, path.join(files, "notes.db")];
    const transport = new StdioClientTransport({ command: process.execPath, args });
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(transport);
    try {
      const call = async (name: string, args: Record<string, unknown>) =>
        JSON.stringify((await client.callTool({ name, arguments: args })).content);
      const names = (await client.listTools()).tools.map(({ name }) => name);
      expect(names).toEqual(expect.arrayContaining(["greet", "fs_read", "store_put"]));
      expect(names).not.toContain("fs_write");
      expect(await call("greet", { name: "Ada" })).toContain("Hello Ada");
      expect(await call("fs_read", { path: "a.txt" })).toContain("Water the plants.");
      await call("store_put", { kind: "note", record: { text: "Feed the cat." } });
      expect(await call("store_query", { kind: "note" })).toContain("Feed the cat.");
    } finally {
      await client.close();
    }
  },
);

const deploy = path.join(root, "deploy");
const read = (name: string) => readFileSync(path.join(deploy, name), "utf8");

test("the image serves stdio with the arguments of the README", async () => {
  const [, block = ""] = /```json\n([^]*?)```/.exec(read("README.md")) ?? [];
  const { args } = (JSON.parse(block) as { mcpServers: { toolpacks: { args: string[] } } }).mcpServers.toolpacks;
  const [runtime, entry] = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(read("Dockerfile"))?.[1] ?? "[]") as string[];
  expect(runtime).toBe("node");
  const work = mkdtempSync(path.join(tmpdir(), "toolpacks-image-"));
  writeFileSync(path.join(work, "a.txt"), "text\n");
  const inContainer = args.slice(args.indexOf("toolpacks") + 1).map((one) => (one === "/work" ? work : one));
  const cli = path.join(root, "apps/server", path.posix.relative("/app", entry ?? ""));
  const client = new Client({ name: "test", version: "1.0.0" });
  const env = Object.fromEntries(
    [...(/^ENV (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "").matchAll(/(\S+?)=(\S+)/g)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [cli, ...inContainer], env, stderr: "ignore" }),
  );
  const found = await client.callTool({ name: "tool_read", arguments: { name: "fs_read", args: { path: "a.txt" } } });
  expect(JSON.stringify(found.content)).toContain("text");
  await client.close();
});

test("HAProxy accepts its config file", ({ skip }) => {
  try {
    execFileSync("haproxy", ["-v"]);
  } catch {
    skip("HAProxy is not installed");
  }
  const check = () =>
    execFileSync("haproxy", ["-c", "-f", path.join(deploy, "haproxy.cfg")], {
      env: { ...process.env, REPLICAS: "localhost:3333" },
      stdio: "pipe",
    });
  expect(check).not.toThrow();
});
