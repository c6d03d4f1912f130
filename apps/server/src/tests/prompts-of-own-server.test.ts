import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { prompt, prompts } from "@toolpacks/prompts";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, onTestFinished, test, vi } from "vitest";

function openStore() {
  const folder = mkdtempSync(path.join(tmpdir(), "prompts-"));
  const store = sqlite(path.join(folder, "store.db"));
  onTestFinished(async () => {
    await store.end();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

async function connect(store = openStore()) {
  const server = new McpServer({ name: "mine", version: "1.0.0" });
  await prompts({ store }).registerWith(server);
  const client = new Client({ name: "test", version: "1.0.0" });
  let changes = 0;
  client.setNotificationHandler("notifications/prompts/list_changed", () => void (changes += 1));
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  onTestFinished(() => client.close());
  const names = async () => (await client.listPrompts({}, { cacheMode: "bypass" })).prompts.map(({ name }) => name);
  return { store, client, names, changes: () => changes };
}

const review = {
  name: "review",
  text: "Review {{file}} for {{ focus }}. Keep {{#this}} and {{two words}}.",
  description: "Review a file",
  arguments: [{ name: "focus", required: false, values: ["security", "speed"] }],
};

test("open prompts of the store are prompts of a server, also those that are stored later", async () => {
  const store = openStore();
  await store.put(prompt, { name: "old", text: "Say {{what}}" });
  const { client, names, changes } = await connect(store);
  expect(await names()).toEqual(["old"]);

  const { id } = await store.put(prompt, review);
  await vi.waitFor(async () => expect(await names()).toEqual(["old", "review"]), 10_000);
  expect(changes()).toBeGreaterThan(0);
  expect((await client.listPrompts({}, { cacheMode: "bypass" })).prompts[1]).toEqual({
    name: "review",
    description: "Review a file",
    arguments: [
      { name: "file", required: true },
      { name: "focus", required: false },
    ],
  });
  const { messages } = await client.getPrompt({ name: "review", arguments: { file: "a.ts", focus: "{{file}}" } });
  expect(messages).toEqual([
    { role: "user", content: { type: "text", text: "Review a.ts for {{file}}. Keep {{#this}} and {{two words}}." } },
  ]);

  await store.close(prompt, id);
  await vi.waitFor(async () => expect(await names()).toEqual(["old"]), 10_000);
  await store.delete(prompt, (await store.query(prompt)).items[0]?.id ?? "");
  await vi.waitFor(async () => expect(await names()).toEqual([]), 10_000);
});
