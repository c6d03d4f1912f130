import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const values = ["open", "in_progress", "blocked", "deferred", "closed", "all"].map((one) => `"${one}"`).join("|");
const orders = [
  "priority",
  "oldest",
  "newest",
  "updated",
  "stale",
  "closed",
  "blocks",
  "blockers",
  "status",
  "type",
  "assignee",
];

test("a search for lists of issues shows each condition and order with its values, so that a call needs no description", async () => {
  const cwd = folder();
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = ["--surface", "discovery", "--root", cwd, "--store", path.join(cwd, "store.db"), "--write"];
  await client.connect(serverTransport(args, { cwd }));
  const ask = async (name: string, given: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: given });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  for (const [name, query] of [
    ["issue_list", "list open bugs without an assignee, oldest first"],
    ["issue_ready", "which unblocked issue should I work on next"],
  ] as const) {
    const found = await ask("tool_search", { query });
    const line = found.split("\n").find((one) => one.includes(`${name}(`)) ?? found;
    const types = line.replaceAll(/ \([^)]*\)/g, "");
    expect(types).toContain(`status?: ${values}|string|string[], issue_type?: string|string[], priority?: int|int[]`);
    expect(types).toContain('assignee?: "unassigned"|"any"|string|string[]|null, label?: string|string[]');
    expect(line).toMatch(/blockers\?: [^,]*\bint\b[^,]*\(how many, or \{gte: 1\}\)/);
    expect(types).toContain(`sort?: ${orders.map((one) => `"${one}"`).join("|")}, limit?: int`);
  }
  const issues = [
    { title: "Old", issue_type: "bug", priority: 1, labels: ["ui"] },
    { title: "New", issue_type: "bug", priority: 0, labels: ["ui"] },
    { title: "Assigned", issue_type: "bug", priority: 0, labels: ["ui"], assignee: "ann" },
  ];
  await ask("tool_invoke", { name: "issue_create", args: { issues } });
  const where = { issue_type: "bug", priority: [0, 1], assignee: "unassigned", label: "ui", blockers: 0, blocks: 0 };
  const listed = await ask("tool_read", { name: "issue_list", args: { where, sort: "oldest" } });
  expect(listed).toMatch(/^bd-\w+ P1 bug open: Old #ui \(created .*\)\nbd-\w+ P0 bug open: New #ui .*\n\(2 of 2\)$/);
  await client.close();
});
