import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import type { ArchiveLine } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { afterEach, expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const open: Client[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

async function connect(cwd: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1.0.0" });
  const flags = ["--store", "s.db", "--workspace", "default", "--root", ".", "--write", "--surface", "discovery"];
  const args = ["--trust", ...flags];
  await client.connect(serverTransport(args, { cwd }));
  open.push(client);
  return client;
}

async function ask(client: Client, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const isListed = /^(store|relay)_|^workflow_eval$/.test(name);
  const request = isListed ? { name, arguments: args } : { name: "tool_invoke", arguments: { name, args } };
  const { content } = await client.callTool(request);
  return content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");
}

type StoredLine = Extract<ArchiveLine, { readonly id: string }>;

/** Writes records again with other data, as another program could. */
async function damage(cwd: string, change: (line: StoredLine) => object): Promise<void> {
  const store = sqlite(path.join(cwd, "s.db"));
  const lines = await Array.fromAsync(store.export());
  await store.import(lines.map((line) => ("id" in line ? { ...line, data: { ...change(line) } } : line)));
  await store.end();
}

const steps = [{ id: "a", tool: "fs_read", params: { path: "a.txt" } }];
const failing = [...steps, { id: "b", tool: "fs_read", params: { path: "none.txt" } }];

/** A store with records of every pack. */
async function filled(): Promise<{ cwd: string; issue: string; observation: string; handle: string }> {
  const cwd = folder({ "a.txt": "text\n", "long.txt": "a long line\n".repeat(20_000) });
  const client = await connect(cwd);
  const issue = /\S+-\w+/.exec(await ask(client, "issue_create", { issues: [{ title: "One", labels: ["x"] }] }))?.[0];
  await ask(client, "memory_remember", { entity: "Anna", observations: ["Anna works in Lund"], tags: ["x"] });
  await ask(client, "memory_link", { from: "Anna", type: "knows", to: "Bob" });
  await ask(client, "state_save", { name: "s1", memory: "x", goal: "x", next: ["n"] });
  await ask(client, "workspace_update", { name: "default", purpose: "Lund" });
  await ask(client, "store_put", { kind: "reminder", record: { text: "Call", due: "2027-01-01" } });
  await ask(client, "store_put", { kind: "note", record: { text: "Call" } });
  await ask(client, "workflow_eval", { steps });
  await ask(client, "workflow_eval", { steps: failing });
  const long = await ask(client, "fs_read", { path: "long.txt" });
  const handle = /relay:\/\/[\w-]+/.exec(long)?.[0] ?? "";
  const observation = /^(\w+) Anna works/m.exec(await ask(client, "memory_recall", { query: "Lund" }))?.[1];
  await ask(client, "trace_timeline", {});
  await client.close();
  return { cwd, issue: issue ?? "", observation: observation ?? "", handle };
}

/** Calls that read or change stored records. */
const calls = ({ issue, observation, handle }: Omit<Awaited<ReturnType<typeof filled>>, "cwd">) =>
  [
    ["memory_recall", { query: "Anna Lund call" }],
    ["memory_recall", { query: "" }],
    ["memory_graph", { entity: "Anna" }],
    ["memory_remember", { entity: "Anna", observations: ["Anna works in Lund", "Anna sings"] }],
    ["memory_link", { from: "Anna", type: "knows", to: "Bob" }],
    ["store_close", { kind: "observation", id: observation }],
    ["state_list", {}],
    ["state_load", { name: "s1" }],
    ["state_save", { name: "s1", memory: "y", goal: "y" }],
    ["workspace_list", {}],
    ["workspace_load", {}],
    ["workspace_update", { name: "default", purpose: "y" }],
    ["trace_timeline", {}],
    ["trace_search", { query: "Anna" }],
    ["issue_list", {}],
    ["issue_ready", {}],
    ["issue_show", { ids: [issue] }],
    ["issue_stats", {}],
    ["issue_claim", { actor: "one" }],
    ["issue_update", { ids: [issue], set: { priority: 1 } }],
    ["issue_close", { ids: [issue] }],
    ["issue_create", { issues: [{ title: "Two", parent: issue }] }],
    ["workflow_report", {}],
    ["workflow_report", { step: "a" }],
    ["workflow_report", { format: "data" }],
    ["relay_read", { handle }],
    ["fs_read", { path: "long.txt" }],
    ...["note", "reminder", "issue", "observation", "report"].map((kind) => ["store_query", { kind, fields: ["*"] }]),
    ["store_put", { kind: "reminder", record: { text: "Next", due: "2027-01-01" } }],
  ] as [string, Record<string, unknown>][];

const wrong: Readonly<Record<string, (line: StoredLine) => object>> = {
  "fields of another type": ({ data }) => Object.fromEntries(Object.keys(data).map((name) => [name, 5])),
  "nulls for fields": ({ data }) => Object.fromEntries(Object.keys(data).map((name) => [name, null])),
  "texts that are no JSON": ({ data }) =>
    Object.fromEntries(Object.entries(data).map(([name, value]) => [name, typeof value === "string" ? "{" : value])),
  "JSON of another shape": ({ data }) =>
    Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, /^[[{]/.test(String(value)) ? "[null]" : value]),
    ),
  "no field": () => ({}),
};

test.each(Object.keys(wrong))(
  "no tool answers internal for stored records with %s",
  async (name) => {
    const { cwd, ...ids } = await filled();
    await damage(cwd, (line) => wrong[name]?.(line) ?? {});
    const client = await connect(cwd);
    const answers: string[] = [];
    for (const [tool, args] of calls(ids)) answers.push(`${tool}: ${await ask(client, tool, args)}`);
    for (const answer of answers) expect(answer).not.toMatch(/: internal\b/);
    expect(answers.join("\n")).not.toMatch(/unknown field|no tool is named/);
  },
  60_000,
);

test("lists leave out and count a damaged record, and calls that need it name it", async () => {
  const { cwd, issue, observation, handle } = await filled();
  await damage(cwd, ({ kind, id, data }) => {
    if (id === issue) return { ...data, title: 7 };
    if (id === observation) return { ...data, tags: 5 };
    return kind === "relay_value" ? { ...data, size: "long" } : data;
  });
  const client = await connect(cwd);
  const left = "1 damaged record is left out. `toolpacks doctor` lists such records.";
  for (const [tool, args] of [
    ["issue_list", {}],
    ["memory_recall", { query: "Lund" }],
    ["store_query", { kind: "observation" }],
  ] as const) {
    expect(await ask(client, tool, args)).toContain(left);
  }
  const damaged = `issue "${issue}": the stored record is damaged: title: expected string, received number`;
  expect(await ask(client, "issue_show", { ids: [issue] })).toContain(damaged);
  expect(await ask(client, "issue_update", { ids: [issue], set: { priority: 1 } })).toContain(damaged);
  expect(await ask(client, "relay_read", { handle })).toMatch(/relay_value ".+": the stored record is damaged: size: /);
});
