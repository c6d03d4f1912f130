import { execFile } from "node:child_process";
import { once } from "node:events";
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { stripTypeScriptTypes } from "node:module";
import path from "node:path";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { blockLabel, pageBlocks, readmeBlocks, root, type CodeBlock } from "./code-blocks.ts";
import { installWith } from "./installation.ts";

const run = promisify(execFile);
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
  text: "declare const text: string;",
  token: "declare const token: string;",
  url: "declare const url: string;",
  client: "declare const client: Parameters<typeof openBoxed>[0];",
  connected: "declare const connected: Parameters<typeof relayClient>[0];",
};

/** Examples that need more than a folder to run: a database, another server, a model, a test runner. */
const needsMore = /@toolpacks\/(cases|testkit|upstream|store-postgres)"|embeddings/;
const packs = { notes: "examples/custom-pack/src/notes.ts", bookmarks: "examples/records-pack/src/bookmarks.ts" };
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

describe.each(["zod-lowest", "zod"])("the TypeScript of READMEs and pages, with %s", (zod) => {
  let folder = "";
  const folderOf = (block: CodeBlock) => path.join(folder, `example-${blocks.indexOf(block)}`);

  beforeAll(() => {
    folder = installWith(zod);
    writeFileSync(path.join(folder, "tsconfig.json"), JSON.stringify(tsconfig));
    for (const block of blocks) {
      mkdirSync(folderOf(block));
      for (const [name, source] of Object.entries(packs)) {
        copyFileSync(path.join(root, source), path.join(folderOf(block), `${name}.ts`));
        const javaScript = stripTypeScriptTypes(readFileSync(path.join(root, source), "utf8"));
        writeFileSync(path.join(folderOf(block), `${name}.js`), javaScript);
      }
      writeFileSync(path.join(folderOf(block), "example.ts"), exampleOf(block));
    }
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  test("type-checks", async () => {
    const tsc = path.join(root, "node_modules/.bin/tsc");
    const result = await run(tsc, ["-p", folder, "--pretty", "false"]).catch((error: { stdout: string }) => error);
    const named = result.stdout.replaceAll(/(\S*)example-(\d+)\/example\.ts/g, (_, _path, at) =>
      blockLabel(blocks[Number(at)]!),
    );
    expect(named).toBe("");
  });

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
