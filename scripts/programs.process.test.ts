import { execFile, spawnSync } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { connectServer } from "../apps/server/src/serve.fixture.ts";
import { blockLabel, pageBlocks, readmeBlocks, root, type CodeBlock } from "./readme/code-blocks.ts";
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

interface Call {
  readonly name: string;
  readonly args: object;
}

/** Mounts a module by the config file of the built server, and calls its tools. Resolves to the last result. */
async function callMounted(module: string, calls: readonly Call[]): Promise<string> {
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
    let last: object = {};
    for (const { name, args } of calls) last = await client.callTool({ name, arguments: { ...args } });
    return JSON.stringify(last);
  } finally {
    await client.close();
  }
}

const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

/** The campaign also makes a pack without a store. */
const withoutStore = {
  name: "word-count",
  flags: [],
  calls: [{ name: "word_count_count", args: { text: "a b c" } }],
  answer: '"words":3',
};

describe.each([
  ...(isCampaign ? [withoutStore] : []),
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
    // The config for the build has the files without the tests.
    if (isCampaign) await run(tsc, [], { cwd });
    await run(tsc, ["-p", "tsconfig.build.json"], { cwd });
    const last = await callMounted(`./${name}/dist/index.js`, calls);
    expect(last.replaceAll('\\"', '"')).toContain(answer);
  });
});

test.skipIf(!isCampaign).each(["custom-pack", "records-pack"])(
  "examples/%s, copied out of the repository, passes its tests with the built packages",
  async (example) => {
    const cwd = path.join(folder, example);
    const isOurs = (file: string) => path.basename(file) !== "node_modules";
    cpSync(path.join(root, "examples", example), cwd, { recursive: true, filter: isOurs });
    const { stdout } = await run(process.execPath, [vitest, "run"], { cwd, env: environment });
    expect(stdout).toMatch(/Tests .* passed/);
  },
);

test.each(isCampaign ? ["sdk-1.ts", "sdk-2.ts"] : ["sdk-2.ts"])(
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
  expect(path.posix.relative("/app", entry ?? "")).toBe("dist/cli.js");
  const env = Object.fromEntries(
    [...(/^ENV (.*)$/m.exec(read("Dockerfile"))?.[1] ?? "").matchAll(/(\S+?)=(\S+)/g)].map(
      ([, name = "", value = ""]) => [name, value],
    ),
  );
  const { client } = await connectServer(inContainer, { env });
  const found = await client.callTool({ name: "tool_read", arguments: { name: "fs_read", args: { path: "a.txt" } } });
  expect(JSON.stringify(found.content)).toContain("text");
  await client.close();
});

test("HAProxy accepts its config file", ({ skip }) => {
  const isInstalled = (process.env["PATH"] ?? "").split(path.delimiter).some((one) => existsSync(`${one}/haproxy`));
  skip(!isInstalled, "HAProxy is not installed");
  const { status, stderr } = spawnSync("haproxy", ["-c", "-f", path.join(deploy, "haproxy.cfg")], {
    env: { ...process.env, REPLICAS: "localhost:3333" },
    encoding: "utf8",
  });
  expect({ status, stderr: status === 0 ? "" : stderr }).toEqual({ status: 0, stderr: "" });
});

const blocks = [...readmeBlocks(), ...pageBlocks()].filter(({ language }) => language === "ts");

/** Declarations that examples use without defining them, by name. */
const declarations: Readonly<Record<string, string>> = {
  server:
    'import { McpServer as Mine } from "@modelcontextprotocol/server";\nconst server = new Mine({ name: "mine", version: "1.0.0" });',
  packs: "declare const packs: readonly import('@toolpacks/core').Pack[];",
  others: "declare const others: readonly import('@toolpacks/core').Pack[];",
  definitions: "const definitions = {};",
  store: "declare const store: import('@toolpacks/core').OwnedStore;",
  clock: "declare const clock: () => import('@toolpacks/core').Pack;",
  limit: "declare const limit: import('@toolpacks/core').Interceptor;",
  trace: "declare const trace: import('@toolpacks/core').CallObserver;",
  notes: "declare const notes: import('@toolpacks/settings').ConfigDefinition<{ command?: string }>;",
  text: "declare const text: string;",
  token: "declare const token: string;",
  url: "declare const url: string;",
  client: "declare const client: Parameters<typeof openBoxed>[0];",
  connected: "declare const connected: Parameters<typeof relayClient>[0];",
};

/** Examples that need more than a folder to run: a database, another server, a model, a test runner. */
const needsMore = /@toolpacks\/(cases|testkit|upstream|store-postgres)"|embeddings/;
const sources = { notes: "examples/custom-pack/src/notes.ts", bookmarks: "examples/records-pack/src/bookmarks.ts" };
const tsconfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024", "esnext.array"],
    module: "nodenext",
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    allowImportingTsExtensions: true,
  },
  include: ["*/*.ts"],
};

const wireCheck = `
  import { Client as Client1 } from "@modelcontextprotocol/sdk/client/index.js";
  import { InMemoryTransport as Transport1 } from "@modelcontextprotocol/sdk/inMemory.js";
  import { McpServer as Server1 } from "@modelcontextprotocol/sdk/server/mcp.js";
  import { Client as Client2, InMemoryTransport as Transport2 } from "@modelcontextprotocol/client";
  import { McpServer as Server2 } from "@modelcontextprotocol/server";
  import { notes } from "./notes.js";
  const about = { name: "test", version: "1.0.0" };
  const results = [];
  for (const [Server, Client, Transport] of [[Server1, Client1, Transport1], [Server2, Client2, Transport2]]) {
    const server = new Server(about);
    await notes().registerWith(server);
    const [ours, theirs] = Transport.createLinkedPair();
    await server.connect(theirs);
    const client = new Client(about);
    await client.connect(ours);
    const { tools } = await client.listTools();
    const added = await client.callTool({ name: "note_add", arguments: { text: "Water the plants." } });
    const wrong = await client.callTool({ name: "note_add", arguments: { texts: "a" } });
    results.push([tools.map(({ name }) => name), added.structuredContent.text, /texts: .*[?]/.exec(wrong.content[0].text)[0]]);
    await client.close();
  }
  console.log(JSON.stringify(results));
`;

/** The declarations of the bundled tools, as searches answer them. */
async function bundledDeclarations(root: string): Promise<string> {
  const [direct, discovery] = await Promise.all(
    ["direct", "discovery"].map((surface) => connectServer(["--surface", surface, "--root", root, "--write"])),
  );
  const names = (await direct!.client.listTools()).tools.map(({ name }) => name);
  const ask = async (query: string) => {
    const answer = await discovery!.client.callTool({
      name: "tool_search",
      arguments: { query, as: "code", limit: 1 },
    });
    return `namespace ${query} {\n${answer.content.map((block) => (block.type === "text" ? block.text : "")).join("\n")}\n}`;
  };
  const declared = await Promise.all(names.map(ask));
  await Promise.all([direct!.client.close(), discovery!.client.close()]);
  return declared.join("\n");
}

describe.each(["zod-lowest", "zod"])("the TypeScript of READMEs and pages, with %s", (zod) => {
  let folder = "";
  const folderOf = (block: CodeBlock) => path.join(folder, `example-${blocks.indexOf(block)}`);

  beforeAll(() => {
    folder = installWith(zod);
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    for (const block of blocks) {
      mkdirSync(folderOf(block));
      for (const [name, source] of Object.entries(sources)) {
        copyFileSync(path.join(root, source), path.join(folderOf(block), `${name}.ts`));
        const javaScript = stripTypeScriptTypes(readFileSync(path.join(root, source), "utf8"));
        writeFileSync(path.join(folderOf(block), `${name}.js`), javaScript);
      }
      writeFileSync(path.join(folderOf(block), "example.ts"), exampleOf(block));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test.skipIf(zod === "zod" && !isCampaign)(
    "type-checks, and so do the declarations of the bundled tools",
    async () => {
      mkdirSync(path.join(folder, "declarations"));
      writeFileSync(path.join(folder, "declarations/tools.ts"), await bundledDeclarations(folder));
      const result = await run(tsc, ["-p", folder, "--pretty", "false"]).catch((error: { stdout: string }) => error);
      const named = result.stdout.replaceAll(/(\S*)example-(\d+)\/example\.ts/g, (_, _path, at) =>
        blockLabel(blocks[Number(at)]!),
      );
      expect(named).toBe("");
    },
  );

  test("a pack is listed, called and answers wrong arguments with an error on the servers of both SDKs", async () => {
    writeFileSync(path.join(folder, "example-0", "wire.js"), wireCheck);
    const { stdout } = await runInThread(path.join(folder, "example-0", "wire.js"));
    const each = [["note_add", "note_list"], "Water the plants.", "texts: unknown field, did you mean text?"];
    expect(JSON.parse(stdout)).toEqual([each, each]);
  });

  test.skipIf(zod === "zod").each(blocks.filter(isRunnable).map((block) => [blockLabel(block), block] as const))(
    "%s runs",
    async (_, block) => {
      const { stderr } = await runInThread(path.join(folderOf(block), "example.ts"));
      expect(stderr.replaceAll(/^.*(Warning: |--trace-warnings).*\n/gm, "")).toBe("");
    },
  );
});

/** Runs a program in a thread, which starts faster than a process. Its folder becomes the current one. */
async function runInThread(program: string): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const before = process.cwd();
  process.chdir(path.dirname(program));
  try {
    const worker = new Worker(program, { stdin: true, stdout: true, stderr: true, execArgv: [] });
    worker.stdin?.end();
    const [stdout, stderr, [code]] = await Promise.all([
      text(worker.stdout),
      text(worker.stderr),
      once(worker, "exit") as Promise<[number]>,
    ]);
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    return { stdout, stderr };
  } finally {
    process.chdir(before);
  }
}

/** The code of an example, after the declarations that it needs. */
function exampleOf({ text }: CodeBlock): string {
  const declares = (name: string) =>
    new RegExp(`\\b(?:const|function) (?:\\{[^}]*\\b)?${name}\\b|import .*\\b${name}\\b.* from`).test(text);
  const uses = (name: string) =>
    new RegExp(`(?<!(?<!\\.\\.)\\.|["'\\w-])${name}\\b(?!["':])`).test(withoutComments(text));
  const needed = Object.keys(declarations).filter((name) => uses(name) && !declares(name));
  return [...needed.map((name) => declarations[name]), text, "export {};"].join("\n");
}

function withoutComments(text: string): string {
  return text.replaceAll(/(?<=^|\s)\/\/.*$/gm, "");
}

function isRunnable(block: CodeBlock): boolean {
  return !needsMore.test(block.text) && !exampleOf(block).includes("declare const");
}
