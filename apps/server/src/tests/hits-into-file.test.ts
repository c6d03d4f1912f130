import { readFileSync } from "node:fs";
import path from "node:path";
import { Client } from "@modelcontextprotocol/client";
import { expect, onTestFinished, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

test("the hits of a search go into a file as a list, without the model repeating them", async () => {
  const root = folder({ "a-README.md": "# One\n\ntext\n", "b-README.md": "intro\n# Two\n" });
  const client = new Client({ name: "test", version: "1.0.0" });
  const args = ["--root", root, "--write", "--store", path.join(folder(), "store.db"), "--log-level", "silent"];
  await client.connect(serverTransport(args));
  onTestFinished(() => client.close());
  const { content } = await client.callTool({ name: "tool_describe", arguments: { name: "fs_write" } });
  expect(JSON.stringify(content)).toContain("${steps.s1.items}");
  const calls = [
    { name: "search_text", args: { pattern: "^# ", globs: ["*README.md"] } },
    {
      name: "fs_write",
      args: { path: "notes/list.md", parents: true, content: "${steps.s1.items}", template: "- {path}: {text}" },
    },
  ];
  const answer = await client.callTool({ name: "tool_invoke", arguments: { calls } });
  const list = "- a-README.md: # One\n- b-README.md: # Two";
  expect(answer.content.at(-1)).toEqual({
    type: "text",
    text: `created notes/list.md, 42 bytes, 2 rows, all written; it begins:\n${list}`,
  });
  expect(readFileSync(path.join(root, "notes/list.md"), "utf8")).toBe(`${list}\n`);
});
