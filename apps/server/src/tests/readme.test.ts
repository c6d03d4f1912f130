import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { startModelEndpoint, type ModelEndpoint } from "@toolpacks/testkit";
import { workflowSources } from "@toolpacks/workflows/definition";
import { parse as parseJsonc } from "jsonc-parser";
import parseArgs from "string-argv";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { blockLabel, readmeBlocks, root, type CodeBlock } from "../../../../scripts/readme/code-blocks.ts";
import { noClientVariables } from "../clients/import-home.fixture.ts";
import { configSchema } from "../config/config-schema.ts";
import { folder, run } from "../run-cli.fixture.ts";
import { connectServer } from "../serve.fixture.ts";

const blocks = readmeBlocks();
const named = (chosen: (block: CodeBlock) => boolean) =>
  blocks.filter(chosen).map((block) => [blockLabel(block), block] as const);

const configLanguages = ["json", "jsonc", "yaml"];
const known = new Set(["ts", "sh", "markdown", "", ...configLanguages]);

test("every block of a README has a language that a test runs", () => {
  // TypeScript is run by scripts/readme.
  expect(blocks.filter(({ language }) => !known.has(language)).map(blockLabel)).toEqual([]);
});

describe("a config block", () => {
  test.each(named(({ language }) => configLanguages.includes(language)))("%s is accepted", async (_, block) => {
    const value = (block.language === "yaml" ? parseYaml(block.text) : parseJsonc(block.text)) as Record<
      string,
      unknown
    >;
    expect(value).toEqual(expect.any(Object));
    // The workflows pack's README has only workflows, and VS Code names its block `servers`.
    const { servers, ...config } = value;
    if (block.file === "packages/workflows/README.md") workflowSources.parse(value);
    else configSchema.parse(servers === undefined ? config : { mcpServers: servers });
    for (const { command, args = [] } of serversIn(servers ?? config["mcpServers"])) {
      const at = args.indexOf("toolpacks");
      if (command === "npx" && at >= 0) await runsAsParsed(args.slice(at + 1));
    }
  });
});

function serversIn(servers: unknown): readonly { command?: string; args?: readonly string[] }[] {
  return Object.values((servers ?? {}) as Record<string, { command?: string; args?: readonly string[] }>);
}

/** Files that command lines need in their folder. */
const files = {
  "tools.json": '[{"name": "fs_read", "description": "Read a file."}]',
  "questions.jsonl": '{"query": "read a file"}\n',
  "README.md": "text\n",
  "arguments.json": '{"path": "README.md"}',
};

/** Runs a command. For an unknown flag or command, commander exits with code 1 and prints its own error. */
async function runsAsParsed(args: readonly string[]): Promise<{ code: number; stderr: string }> {
  const cwd = folder(files);
  const env = {
    TOOLPACKS_STORE: path.join(cwd, "store.db"),
    // `init` changes the files of clients in these folders.
    HOME: folder(),
    XDG_CONFIG_HOME: path.join(cwd, ".config"),
    APPDATA: path.join(cwd, "AppData"),
    LOCALAPPDATA: path.join(cwd, "AppData"),
    ...noClientVariables,
  };
  const given = args.map((arg) => {
    return /^\/home\/me|^\$\{workspaceFolder\}/.test(arg) ? cwd : arg;
  });
  // The relay starts another server, which is not installed here: the command stands for it.
  const relayed = given[0] === "relay" ? ["relay", "--", process.execPath, "-e", ""] : given;
  const { code, stderr } = await run(relayed, { cwd, env });
  expect(stderr).not.toMatch(/^error: /m);
  return { code, stderr };
}

/** Commands that fail without a terminal, a client, a store, a report to show, a config file to trust, or the workspaces and tokens that they name. */
const mayFail = /^(init|relay|backup|call workflow_|trust|workspaces join|tokens (rotate|revoke))/;

describe("a shell block", () => {
  const lines = blocks
    .filter(({ language }) => language === "sh")
    .flatMap((block) =>
      block.text
        .trim()
        .split("\n")
        .map((line) => [`${blockLabel(block)}: ${line}`, line.replace(/\s+#.*$/, "")] as const),
    );
  test.concurrent.each(lines)("%s", async (_, line) => {
    const words = parseArgs(line);
    const at = words.indexOf("toolpacks");
    if (words.includes("--http")) return hasFlags(words.slice(at + 1));
    if (at >= 0 && /^(npx|toolpacks|claude)$/.test(words[0] ?? "") && !words.includes("--transport")) {
      const from = words[0] === "claude" ? words.lastIndexOf("toolpacks") : at;
      const args = words.slice(from + 1);
      const { code, stderr } = await runsAsParsed(args);
      if (!mayFail.test(args.join(" "))) expect({ code, stderr }).toMatchObject({ code: 0 });
      return;
    }
    expect(problemOf(words)).toBeUndefined();
  });
});

/** A server over HTTP is tested elsewhere: here its flags exist. */
async function hasFlags(args: readonly string[]): Promise<void> {
  const { stdout } = await run(["serve", "--help"]);
  for (const flag of args.filter((arg) => arg.startsWith("--"))) expect(stdout).toContain(flag);
}

/** The reason why a line with another program cannot work, checked against the repository. */
function problemOf(words: readonly string[]): string | undefined {
  const line = words.join(" ");
  const { scripts } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8")) as { scripts: object };
  const script = /^npx --yes pnpm@12 (\S+)$/.exec(line)?.[1];
  if (script !== undefined) return script in scripts ? undefined : `there is no script ${script}`;
  if (line.startsWith("npm install ")) {
    const packages = words.slice(2).filter((word) => word.startsWith("@toolpacks/"));
    const workspace = ["packages", "packages/packs", "packages/stores"];
    const unknown = packages.find((name) => {
      const bare = name.replace("@toolpacks/", "");
      return workspace.every((parent) => !existsSync(path.join(root, parent, bare.replace(/^store-/, ""))));
    });
    return unknown && `there is no package ${unknown}`;
  }
  // The default address of `serve --http`.
  if (words[0] === "claude") return line.endsWith(" http://127.0.0.1:3333/mcp") ? undefined : "another address";
  // No container engine is needed for the tests: the files that such a line names exist.
  if (/^(docker|kubectl) /.test(line)) {
    const missing = words.filter((word) => word.endsWith(".yaml") && !existsSync(path.join(root, "deploy", word)));
    return missing.length === 0 ? undefined : `deploy/ has no ${missing.join(", ")}`;
  }
  // scripts/new-pack.test.ts runs this command.
  if (line.startsWith("npm create toolpack ")) return undefined;
  // examples/own-server/src/own-server.process.test.ts runs it.
  if (line.startsWith("node src/server.ts ")) return undefined;
  // packages/cases/src/readme.test.ts runs these.
  if (line.startsWith("npx toolpacks-cases ")) return undefined;
  return line.startsWith("export ") ? undefined : "nothing here knows how to run it";
}

describe("a transcript of calls", () => {
  let endpoint: ModelEndpoint;
  beforeAll(async () => {
    endpoint = await startModelEndpoint(["An answer."]);
  });
  afterAll(async () => {
    await endpoint.close();
  });

  test.each(named(({ language }) => language === ""))("%s works over the wire", async (_, block) => {
    const calls = callsIn(block.text);
    expect(calls.length).toBeGreaterThan(0);
    const cwd = mkdtempSync(path.join(tmpdir(), "toolpacks-readme-"));
    writeFileSync(path.join(cwd, "README.md"), "line\n".repeat(30));
    writeFileSync(path.join(cwd, "server.log"), "an error in a long log\n".repeat(60_000));
    for (const name of ["a.md", "b.md"]) writeFileSync(path.join(cwd, name), "A text.\n");
    const config = {
      packs: { [example]: {}, canvas: true, prompts: true },
      models: { small: { url: endpoint.baseUrl } },
    };
    writeFileSync(path.join(cwd, "mine.json"), JSON.stringify(config));
    const surface = block.text.includes("useTools") ? ["--surface", "two-tool"] : [];
    const flags = ["--root", ".", "--write", "--store", "store.db", "--config", "mine.json", ...surface];
    const { client } = await connectServer(flags, { cwd });
    /** Ids in this store, by the ids in the README. */
    const ids = new Map<string, string>();
    for (const { name, args, answer } of calls) {
      const isListed = /^(tool_|store_|relay_|getTools|useTools)/.test(name);
      const params = JSON.parse(
        [...ids].reduce((text, [theirs, ours]) => text.replaceAll(theirs, ours), args),
      ) as Record<string, unknown>;
      const call = isListed ? { name, arguments: params } : { name: "tool_invoke", arguments: { name, args: params } };
      const result = await client.callTool(call);
      const text = result.content.map((part) => ("text" in part ? part.text : "")).join("\n");
      expect(result.isError ?? false, `${name}: ${text}`).toBe(false);
      const [theirs, ours] = [answer, text].map((one) => idPattern.exec(one)?.[0]);
      if (theirs !== undefined && ours !== undefined) ids.set(theirs, ours);
    }
  });
});

const example = path.join(root, "examples/records-pack/src/bookmarks.ts");
const idPattern = /relay:\/\/[a-z0-9]+|\b(?=[a-z]*\d)[a-z0-9]{16}\b/;

interface ShownCall {
  readonly name: string;
  /** As JSON. */
  readonly args: string;
  /** The answer in the README. */
  readonly answer: string;
}

/** `name {…}`, over one line or several; lines behind an arrow are the answer. */
function callsIn(text: string): readonly ShownCall[] {
  const context = '{"workspaceId": "default", "sessionId": "s", "memory": "none", "goal": "mend the build"}';
  return text
    .split(/^(?=[a-zA-Z_]+ +\{)/m)
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [call = "", answer = ""] = part.split("→");
      const [, name = "", args = ""] = /^(\S+) +([^]*)$/.exec(call.trim()) ?? [];
      return { name, args: args.replace("{…}", context), answer };
    });
}
