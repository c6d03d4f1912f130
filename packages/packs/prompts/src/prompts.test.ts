import type { ToolError } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { connectPack, resultText } from "@toolpacks/testkit";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { prompt } from "./prompt-kind.ts";

function openStore() {
  const folder = mkdtempSync(path.join(tmpdir(), "prompts-"));
  const store = sqlite(path.join(folder, "store.db"));
  onTestFinished(async () => {
    await store.end();
    rmSync(folder, { recursive: true, force: true });
  });
  return store;
}

const review = {
  name: "review",
  text: "Review {{file}} for {{ focus }}. Keep {{#this}} and {{two words}}.",
  description: "Review a file",
  arguments: [{ name: "focus", required: false, values: ["security", "speed"] }],
};

const refused: Readonly<Record<string, readonly [record: object, error: string | RegExp]>> = {
  "a name with a space": [{ ...review, name: "a b" }, /^name: expected a letter or digit/],
  "a description of an argument that the text lacks": [
    { name: "x", text: "Say {{what}}", arguments: [{ name: "who" }] },
    "arguments.0.name: the text has no {{who}}; it has what",
  ],
  "an argument that is described twice": [
    { name: "x", text: "Say {{what}}", arguments: [{ name: "what" }, { name: "what" }] },
    "arguments.1.name: what is described twice",
  ],
  "too many arguments": [
    { name: "x", text: Array.from({ length: 21 }, (_, at) => `{{a${at}}}`).join() },
    "text: expected at most 20 arguments",
  ],
  "a text that is too long": [{ name: "x", text: "x".repeat(100_001) }, /^text: /],
  "the name of another open prompt": [review, /^name: the open prompt \w+ is named review already$/],
};

test.each(Object.entries(refused))("%s is refused", async (_, [record, error]) => {
  const store = openStore();
  const { id } = await store.put(prompt, review);
  const failure = await store.put(prompt, record as typeof review).then(
    () => "",
    (cause: ToolError) => cause.message,
  );
  expect(failure).toMatch(error);
  if (record !== review) return;
  // The prompt itself can be changed, and its name is free when it is closed, until another one has it.
  await store.put(prompt, { text: "Review {{focus}}" }, { id, patch: true });
  await store.close(prompt, id);
  await store.put(prompt, review);
  await expect(store.reopen(prompt, id)).rejects.toThrow(/is named review already/);
});

test("store_query finds a prompt by other words", async () => {
  const store = openStore();
  await store.put(prompt, { name: "letter", text: "Write to {{whom}}.", description: "A message to a physician" });
  const client = await connectPack(storePack({ store, kinds: [prompt] }), "sdk 2, protocol 2026-07-28");
  onTestFinished(() => client.close());
  const find = async (text: string) => resultText(await client.callTool("store_query", { kind: "prompt", text }));
  expect(await find("doctor")).toMatch(/ letter .*\nNone has all of the words; these have some/);
  expect(await find("quantum chromodynamics")).toBe("none");
});
