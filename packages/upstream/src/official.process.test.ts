import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { CallToolResult, Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { inheritedEnvironment } from "./child-environment.ts";
import { connectDirectly, connectThrough, createUpstream, everythingServer, folder, official } from "./wire.fixture.ts";
import { snakeCase } from "./tool-names.ts";

type Calls = readonly (readonly [tool: string, args: Record<string, unknown>])[];

const asking = { capabilities: { elicitation: { form: {}, url: {} } } };

/** Replaces times and resource prefixes, which differ between two runs. */
function comparable({ content, isError = false }: CallToolResult): unknown {
  return asComparable({ content, isError });
}

function asComparable(value: object): object {
  const text = JSON.stringify(value)
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replaceAll(/\w{3} \w{3} \d\d \d{4} \d\d:\d\d:\d\d GMT[^"\\]*/g, "<time>")
    .replaceAll(/\d+:\d\d:\d\d [AP]M/g, "<time>")
    .replaceAll(/toolpacks:\/\/\w+\//g, "");
  return JSON.parse(text) as object;
}

interface Comparison {
  readonly name: "everything" | "filesystem" | "memory";
  readonly args: readonly string[];
  readonly env?: Record<string, string>;
  readonly calls: Calls;
  /** Restores everything that the calls change. */
  readonly reset: () => void;
}

const toggles = ["toggle-simulated-logging", "toggle-subscriber-updates"];

async function compare({ name, args, env = {}, calls, reset }: Comparison): Promise<void> {
  reset();
  const environment = { ...inheritedEnvironment(), ...env };
  const command = { command: process.execPath, args: [official(name), ...args], env: environment };
  const inProcess = name === "everything" ? await everythingServer() : undefined;
  const transport = inProcess?.open() ?? new StdioClientTransport({ ...command, stderr: "ignore" });
  const direct = await connectDirectly(transport, asking);
  direct.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
  const { tools } = await direct.listTools();
  expect(calls.map(([tool]) => tool).sort()).toEqual(tools.map((tool) => tool.name).sort());
  const expected = new Map<string, unknown>();
  const structured = new Map<string, unknown>();
  for (const [tool, toolArgs] of calls) {
    const result = await call(direct, tool, toolArgs);
    expected.set(tool, comparable(result));
    const isTextOnly = result.content.every(({ type }) => type === "text");
    if (isTextOnly && result.isError !== true) structured.set(tool, result.structuredContent);
  }
  // What they started goes on in this process.
  if (inProcess !== undefined) for (const tool of toggles) await call(direct, tool, {});

  reset();
  const pack = createUpstream(
    inProcess === undefined ? { name, command: process.execPath, args: command.args, env } : { name, ...inProcess },
  );
  const { client } = await connectThrough([pack], asking);
  client.setRequestHandler("elicitation/create", () => ({ action: "decline" }));
  for (const [tool, toolArgs] of calls) {
    const through = await call(client, "tool_invoke", { name: `${name}_${snakeCase(tool)}`, args: toolArgs });
    expect({ tool, result: comparable(through) }).toEqual({ tool, result: expected.get(tool) });
  }
  reset();
  for (const [tool, toolArgs] of calls) {
    const invocation = { name: `${name}_${snakeCase(tool)}`, args: toolArgs, structured: true };
    const { structuredContent } = await call(client, "tool_invoke", invocation);
    const actual = { content: [], structuredContent };
    const direct = { content: [], structuredContent: structured.get(tool) };
    expect({ tool, ...asComparable(actual) }).toEqual({ tool, ...asComparable(direct) });
  }
}

async function call(client: Client, name: string, args: Record<string, unknown>): Promise<CallToolResult> {
  return client.callTool({ name, arguments: args });
}

/** The campaign also compares servers that are processes, whose results are plain texts. */
const isCampaign = process.env["TOOLPACKS_CAMPAIGN"] !== undefined;

describe("each tool of an official server returns the same through tool_invoke as directly", () => {
  test.skipIf(!isCampaign)("filesystem", async () => {
    const root = folder();
    const at = (name: string) => path.join(root, name);
    await compare({
      name: "filesystem",
      args: [root],
      reset() {
        rmSync(root, { recursive: true, force: true });
        mkdirSync(at("deep/er"), { recursive: true });
        writeFileSync(at("a.txt"), "one\ntwo\nthree\n");
        writeFileSync(at("deep/b.md"), "# b\n");
        writeFileSync(at("dot.png"), Buffer.from("iVBORw0KGgo=", "base64"));
      },
      calls: [
        ["read_file", { path: at("a.txt") }],
        ["read_text_file", { path: at("a.txt"), head: 2 }],
        ["read_media_file", { path: at("dot.png") }],
        ["read_multiple_files", { paths: [at("a.txt"), at("deep/b.md"), at("none")] }],
        ["write_file", { path: at("new.txt"), content: "new" }],
        ["edit_file", { path: at("a.txt"), edits: [{ oldText: "two", newText: "2" }], dryRun: true }],
        ["create_directory", { path: at("made") }],
        ["list_directory", { path: root }],
        ["list_directory_with_sizes", { path: root, sortBy: "size" }],
        ["directory_tree", { path: root }],
        ["move_file", { source: at("new.txt"), destination: at("moved.txt") }],
        ["search_files", { path: root, pattern: "**/*.md" }],
        ["get_file_info", { path: "/" }],
        ["list_allowed_directories", {}],
      ],
    });
  });

  test.skipIf(!isCampaign)("memory", async () => {
    const file = path.join(folder(), "memory.json");
    const entity = { name: "Ada", entityType: "person", observations: ["counts"] };
    const relation = { from: "Ada", to: "Ada", relationType: "is" };
    await compare({
      name: "memory",
      args: [],
      env: { MEMORY_FILE_PATH: file },
      reset: () => rmSync(file, { force: true }),
      calls: [
        ["create_entities", { entities: [entity] }],
        ["create_relations", { relations: [relation] }],
        ["add_observations", { observations: [{ entityName: "Ada", contents: ["reads"] }] }],
        ["read_graph", {}],
        ["search_nodes", { query: "reads" }],
        ["open_nodes", { names: ["Ada"] }],
        ["delete_observations", { deletions: [{ entityName: "Ada", observations: ["reads"] }] }],
        ["delete_relations", { relations: [relation] }],
        ["delete_entities", { entityNames: ["Ada"] }],
      ],
    });
  });

  test("everything", async () => {
    await compare({
      name: "everything",
      args: [],
      reset: () => {},
      calls: [
        ["echo", { message: "hello" }],
        ["get-annotated-message", { messageType: "error", includeImage: true }],
        ["get-env", {}],
        ["get-resource-links", { count: 3 }],
        ["get-resource-reference", { resourceType: "Text", resourceId: 2 }],
        ["get-structured-content", { location: "Chicago" }],
        ["get-sum", { a: 2, b: 3 }],
        ["get-tiny-image", {}],
        ["gzip-file-as-resource", { name: "a.gz", data: "data:text/plain,hello", outputType: "resource" }],
        ["simulate-research-query", { topic: "python" }],
        ["toggle-simulated-logging", {}],
        ["toggle-subscriber-updates", {}],
        ["trigger-elicitation-request", {}],
        ["trigger-long-running-operation", { duration: 0.2, steps: 2 }],
        ["trigger-url-elicitation", { url: "https://example.com", elicitationId: "one" }],
      ],
    });
  });
});
