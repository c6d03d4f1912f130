import { readFileSync } from "node:fs";
import path from "node:path";
import { stripTypeScriptTypes } from "node:module";

const root = path.join(import.meta.dirname, "../..");

/** How the code of a README becomes a program. */
interface Program {
  /** Code that declares what the README expects from its reader. */
  readonly before?: string;
  /** Code that prints what the README's code has made. */
  readonly after?: string;
  /** What the program prints. */
  readonly prints: RegExp;
}

interface Unused {
  /** Why the code is not run. */
  readonly unused: string;
}

const makeServer = `import { McpServer, call, listTools } from "./sdk.mjs";
const server = new McpServer({ name: "mine", version: "1.0.0" });\n`;
const useServer = `import { call, listTools } from "./sdk.mjs";\n`;
const makePacks = `import { filesystem } from "@toolpacks/filesystem";\nconst packs = [filesystem({ roots: ["."] })];\n`;
const listAll = `\nconsole.log((await listTools(server)).join(" "));\nprocess.exit();\n`;

/** The code blocks of each README, in their order. */
export const programs: Readonly<Record<string, readonly (Program | Unused)[]>> = {
  "packages/core": [
    {
      before: makeServer,
      after: `\nconsole.log(await call(server, "clock_now", { zone: "Asia/Tokyo" }));\nprocess.exit();\n`,
      prints: /\d+:\d+:\d+ [AP]M/,
    },
    {
      before: `import { clock } from "./clock.mjs";
const limit = (request, next) => next(request);
const trace = (call, run) => run(call.context);\n`,
      after: `\nconsole.log(JSON.stringify(outcome));\n`,
      prints: /\d+:\d+:\d+ [AP]M/,
    },
  ],
  "packages/access": [{ after: `\nconsole.log(JSON.stringify(caller));\n`, prints: /ada/ }],
  "packages/host": [
    { before: `process.argv.push("--http");\n`, after: `\nconsole.log(url);\nawait close();\n`, prints: /3333/ },
  ],
  "packages/replicas": [{ unused: "needs a PostgreSQL server" }],
  "packages/telemetry": [{ after: `\nconsole.log(typeof metrics);\n`, prints: /./ }],
  "packages/tool-commands": [{ prints: /Water the plants/ }],
  "packages/files": [{ prints: /todo.md 11 buy a lamp[^]*denied .*npmrc/ }],
  "packages/terminal": [{ prints: /lamp/ }],
  "packages/command-line": [{ prints: /hello Ada\nhello Ada/ }],
  "packages/bounded-io": [{ prints: /ping/ }],
  "packages/store": [{ before: makeServer, after: listAll, prints: /store_put/ }],
  "packages/schema": [
    { after: `\nconsole.log("message" in result && result.message);\n`, prints: /did you mean path/ },
  ],
  "packages/expressions": [{ prints: /^{"title":"lamp","count":3}/ }],
  "packages/relay": [
    { before: makeServer + makePacks, after: listAll, prints: /relay_read/ },
    { unused: "needs the connected client of a program" },
  ],
  "packages/settings": [
    { prints: /value: \[ .new. \][^]*value: 7/ },
    {
      before: `import { writeFileSync } from "node:fs";
import { ignore } from "@toolpacks/settings";
import { z } from "zod";
const schema = z.strictObject({ command: z.string().optional() });
const notes = { name: "notes", schema: async () => schema, rules: { command: ignore } };
writeFileSync("notes.config.json", '{"command":"ls"}');\n`,
      prints: /notes.config.json: command: "ls"/,
    },
  ],
  "packages/workspaces": [{ prints: /\S/ }],
  "packages/surface": [
    { before: useServer, after: listAll, prints: /tool_search/ },
    { before: makeServer + makePacks, after: listAll, prints: /^\S+ \S+\n$/ },
    { before: makePacks, after: `\nconsole.log(Object.keys(surface).length > 0);\n`, prints: /true/ },
    {
      before: `${makeServer}${makePacks}const others = [];\n`,
      after: `\nconsole.log("updated");\nprocess.exit();\n`,
      prints: /updated/,
    },
    { unused: "needs a model" },
    { after: `\nconsole.log(index.rank("open a bug report", { limit: 5 }).hits.length);\n`, prints: /^1/ },
  ],
  "packages/meaning": [
    {
      after: `\nconst [one = 0, other = 0] = (await compare(["remove a file"], ["delete a document", "invite a user"])) ?? [];\nconsole.log(one > other);\nprocess.exit();\n`,
      prints: /true/,
    },
  ],
  "packages/meaning-minilm": [
    {
      after: `\nconst [one = 0, other = 0] = (await compare(["remove a file"], ["delete a document", "invite a user"])) ?? [];\nconsole.log(one > other);\nprocess.exit();\n`,
      prints: /true/,
    },
  ],
  "packages/testkit": [
    { unused: "is a test of a reader's pack" },
    { unused: "is a test of a store" },
    {
      before: `const url = "http://localhost";\n`,
      after: `\nconsole.log(Object.keys(endpoint));\nprocess.exit();\n`,
      prints: /baseUrl/,
    },
  ],
  "packages/upstream": [{ unused: "needs other servers" }],
  "packages/workflows": [
    {
      before: `const definitions = {};\n`,
      after: `\nconsole.log(Object.keys(surface).length > 0);\nprocess.exit();\n`,
      prints: /true/,
    },
  ],
  "packages/client-config": [{ prints: /"my-server": \{[^]*sample-home\S*: removed/ }],
  "packages/cases": [{ unused: "needs a model" }],
  "packages/models": [{ after: `\nconsole.log(model, tokens.output);\nprocess.exit();\n`, prints: /small 200/ }],
  "packages/packs/tracker-sync": [
    {
      before: `import { sqlite } from "@toolpacks/store-sqlite";\nconst store = sqlite("sync.db");\n`,
      after: `\nconsole.log(pack.name);\nprocess.exit();\n`,
      prints: /tracker-sync/,
    },
  ],
  "packages/packs/undo": [
    { after: `\nconsole.log((await pack.tools()).map(({ name }) => name));\nprocess.exit();\n`, prints: /undo_list/ },
  ],
  "packages/packs/canvas": [{ before: useServer, after: listAll, prints: /canvas_write/ }],
  "packages/packs/filesystem": [{ before: useServer, after: listAll, prints: /fs_write/ }],
  "packages/packs/issues": [{ before: useServer, after: listAll, prints: /issue_create/ }],
  "packages/packs/memory": [
    {
      before: makeServer,
      after: `\nconsole.log(await call(server, "memory_remember", { entity: "Ada", observations: ["Writes."] }));\nawait store.end();\nprocess.exit();\n`,
      prints: /Ada/,
    },
  ],
  "packages/packs/planner": [
    {
      before: makeServer,
      after: `\nconsole.log(await call(server, "store_put", { kind: "reminder", record: { text: "Water", due: "2027-01-04" } }));\nprocess.exit();\n`,
      prints: /Water/,
    },
  ],
  "packages/packs/prompts": [
    {
      after: `\nawait store.put(pack.kinds[0], { name: "greet", text: "Hello" });\nconsole.log((await store.query(pack.kinds[0])).items[0].data.name);\nprocess.exit();\n`,
      prints: /greet/,
    },
  ],
  "packages/packs/search": [
    {
      before: useServer,
      after: `\nconsole.log(await call(server, "search_symbols", { path: "sample.go" }));\nprocess.exit();\n`,
      prints: /function Add/,
    },
  ],
  "packages/stores/postgres": [{ after: `\nconsole.log(typeof store.put);\nprocess.exit();\n`, prints: /function/ }],
  "packages/stores/sqlite": [{ after: `\nconsole.log("kept", id);\n`, prints: /kept/ }],
};

const sdk1 = `import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js";
export { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
`;
const sdk2 = `import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
export { McpServer } from "@modelcontextprotocol/server";
`;
const client = `
const clients = new Map();
async function connected(server) {
  if (!clients.has(server)) {
    const [ours, theirs] = InMemoryTransport.createLinkedPair();
    const client = new Client({ name: "reader", version: "1.0.0" });
    await Promise.all([server.connect(theirs), client.connect(ours)]);
    clients.set(server, client);
  }
  return clients.get(server);
}
export async function listTools(server) {
  return (await (await connected(server)).listTools()).tools.map(({ name }) => name);
}
export async function call(server, name, args) {
  return JSON.stringify(await (await connected(server)).callTool({ name, arguments: args }));
}
`;

function sdkTypes(sdk: 1 | 2): string {
  const entry = sdk === 1 ? "@modelcontextprotocol/sdk/server/mcp.js" : "@modelcontextprotocol/server";
  return `import { McpServer } from "${entry}";
export { McpServer };
export function listTools(server: McpServer): Promise<string[]>;
export function call(server: McpServer, name: string, args: object): Promise<string>;
`;
}

const typescriptConfig = {
  compilerOptions: {
    target: "es2024",
    lib: ["es2024"],
    module: "nodenext",
    strict: true,
    // The interceptors of a program have no types of their own.
    noImplicitAny: false,
    skipLibCheck: true,
    noEmit: true,
    typeRoots: [path.join(root, "node_modules/@types")],
    types: ["node"],
  },
  include: ["*.ts", "*.mts"],
};

interface ProjectFiles {
  readonly files: Readonly<Record<string, string>>;
  /** The same programs with types, and what a type check of them needs. */
  readonly typedFiles: Readonly<Record<string, string>>;
  readonly prints: ReadonlyMap<string, RegExp>;
}

/** The files of a project whose reader has an SDK, and what each program prints. */
export function projectFiles(sdk: 1 | 2): ProjectFiles {
  const typedFiles: Record<string, string> = {
    "tsconfig.json": JSON.stringify(typescriptConfig),
    "sdk.d.mts": sdkTypes(sdk),
    "clock.mts": (readmeCode("packages/core")[0] ?? "").replace(/^await .*$/m, ""),
  };
  const files: Record<string, string> = {
    "sdk.mjs": (sdk === 1 ? sdk1 : sdk2) + client,
    "sample.go": "package a\n\nfunc Add() {}\n",
    "clock.mjs": (readmeCode("packages/core")[0] ?? "").replace(/^await .*$/m, ""),
  };
  const prints = new Map<string, RegExp>();
  for (const [folder, all] of Object.entries(programs)) {
    const blocks = readmeCode(folder);
    for (const [at, program] of all.entries()) {
      if ("unused" in program) continue;
      const name = `${folder.replaceAll("/", "-")}-${at + 1}.mjs`;
      const code = (program.before ?? "") + (blocks[at] ?? "") + (program.after ?? "");
      const written = sdk === 1 ? withSdk1(code) : code;
      files[name] = stripTypeScriptTypes(written);
      typedFiles[name.replace(".mjs", ".mts")] = written;
      prints.set(name, program.prints);
    }
  }
  return { files, typedFiles, prints };
}

/** Imports what the comment of the import names. */
function withSdk1(code: string): string {
  return code.replaceAll(/"@modelcontextprotocol\/server"; \/\/ or (\S+)/g, '"$1";');
}

/** The code blocks in TypeScript of a README. */
export function readmeCode(folder: string): readonly string[] {
  const readme = readFileSync(path.join(root, folder, "README.md"), "utf8");
  return [...readme.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code = ""]) => code);
}
