import { mkdirSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

async function connect(flags: readonly string[]) {
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = ["--surface", "two-tool", "--log-level", "silent", ...flags];
  await client.connect(serverTransport(args));
  onTestFinished(() => client.close());
  const ask = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    return content.map((block) => (block.type === "text" ? block.text : block.type));
  };
  return { client, ask };
}

test("a model gets from the index to a file's content, and finds the call's trace", async () => {
  const root = folder({ "release.md": "Ship the lighthouse on Friday.\n" });
  const store = path.join(folder(), "store.db");
  const { client, ask } = await connect(["--root", root, "--store", store]);

  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(["getTools", "useTools"]);
  const index = tools[0]?.description ?? "";
  expect(index).toContain("filesystem: [read,");
  expect(index).toContain("issues: [ready,");
  const context = {
    sessionId: "release planning",
    memory: "The team wants to know the date.",
    goal: "find out when the lighthouse ships",
  };
  const [explained = ""] = await ask("getTools", {
    context,
    request: [{ pack: "filesystem", tools: ["read"] }, { pack: "issues" }],
  });
  expect(explained).toContain("\nread: Read a text file");
  expect(explained).toContain("\ncreate(");

  const [session = "", heading, content] = await ask("useTools", {
    context,
    calls: [{ pack: "filesystem", tool: "read", params: { path: "release.md" } }],
  });
  expect(session).toMatch(/^session s-[0-9a-f]{10}: 1 succeeded$/);
  expect(heading).toBe("[s1] fs_read: succeeded");
  expect(content).toContain("Ship the lighthouse on Friday.");

  const later = await connect(["--root", root, "--store", store]);
  await expect
    .poll(async () => {
      const search = { pack: "memory", tool: "trace_search", params: { query: "when does the lighthouse ship" } };
      return (await later.ask("useTools", { context, calls: [search] })).at(-1);
    })
    .toContain("filesystem: read {");
});

test("calls use the records of the workspace in their context", async () => {
  const cwd = folder({ "settings.json": '{"workspaces":"all"}' });
  const { ask } = await connect(["--store", path.join(cwd, "store.db"), "--config", path.join(cwd, "settings.json")]);
  const context = { workspaceId: "default", sessionId: "s", memory: "none", goal: "keep notes apart" };
  const made = await ask("useTools", {
    context,
    calls: [{ pack: "memory", tool: "workspace_create", params: { name: "garden", purpose: "Plants." } }],
  });
  expect(made[1]).toBe("[s1] workspace_create: succeeded");
  const put = { pack: "store", tool: "put", params: { kind: "note", record: { text: "Roses need pruning." } } };
  const query = { pack: "store", tool: "query", params: { kind: "note" } };
  await ask("useTools", { context: { ...context, workspaceId: "garden" }, calls: [put] });
  expect((await ask("useTools", { context, calls: [query] })).at(-1)).toBe("none");
  expect((await ask("useTools", { context: { ...context, workspaceId: "garden" }, calls: [query] })).at(-1)).toContain(
    "Roses need pruning.",
  );
  expect((await ask("useTools", { context: { ...context, workspaceId: "gardn" }, calls: [query] })).at(-1)).toContain(
    "did you mean garden?",
  );
});

test("calls begin in the project's workspace, short names are understood, and empty answers say where there is more", async () => {
  const cwd = folder({ "settings.json": '{"workspaces":"all"}' });
  const project = path.join(cwd, "acme");
  mkdirSync(project);
  const flags = ["--store", path.join(cwd, "store.db"), "--config", path.join(cwd, "settings.json")];
  const { client, ask } = await connect([...flags, "--root", project]);
  const context = { sessionId: "s", memory: "none", goal: "see where records are" };
  expect((await client.listTools()).tools[0]?.description).toContain("workspaces: acme (this project),default");
  expect((await ask("getTools", { context }))[0]).toMatch(
    /^session s-\w+ in workspace acme\n[^]*\nplanner: .*kinds note,reminder/,
  );

  const issues = Array.from({ length: 74 }, (_, at) => ({ title: `Task ${at}` }));
  const text = "The harbour is closed.";
  const made = await ask("useTools", {
    context,
    calls: [
      { pack: "issues", tool: "create", params: { issues } },
      { pack: "memory", tool: "remember", params: { text } },
      { pack: "memory", tool: "memory_recall", params: { query: "harbour" } },
    ],
  });
  expect(made[0]).toContain("3 succeeded");
  expect(made.at(-1)).toMatch(/^\w{16} The harbour is closed\.$/);

  const elsewhere = async (pack: string, tool: string, params: object) => {
    const given = { context: { ...context, workspaceId: "default" }, calls: [{ pack, tool, params }] };
    return (await ask("useTools", given)).join("\n");
  };
  for (const tool of ["list", "ready"])
    expect(await elsewhere("issues", tool, {})).toContain("none here; 74 in acme (this project)");
  expect(await elsewhere("memory", "recall", { query: "harbour" })).toContain("none here; 1 in acme (this project)");
  expect(await elsewhere("store", "query", { kind: "issue" })).toContain("none here; 74 in acme (this project)");
});
