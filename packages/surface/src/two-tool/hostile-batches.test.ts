import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { definePack, defineTool, ToolError, type Store } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface } from "../surface.ts";
import { wires } from "../wire.fixture.ts";
import { batchKind } from "./batch.ts";

const longText = "y".repeat(250_000);

/** A pack that changes something, answers a long text, and takes anything. */
function bulkPack() {
  const done: string[] = [];
  const pack = definePack({
    name: "bulk",
    description: "Long texts.",
    budget: 500,
    tools: () => [
      defineTool({
        name: "bulk_put",
        description: "Change something.",
        mutates: true,
        input: z.object({ name: z.string() }),
        output: z.object({ put: z.string() }),
        handler: ({ name }) => {
          done.push(name);
          return { put: name };
        },
      }),
      defineTool({
        name: "bulk_read",
        description: "Read a long text.",
        mutates: false,
        input: z.object({}),
        output: z.object({ text: z.string() }),
        handler: () => ({ text: longText }),
      }),
      defineTool({
        name: "bulk_take",
        description: "Refuse what it is given.",
        mutates: false,
        input: z.object({ items: z.array(z.unknown()) }),
        output: z.object({}),
        handler: () => {
          throw new ToolError("invalid_input", "items: refused");
        },
      }),
    ],
  })();
  return { pack, done };
}

async function connect(change: (store: Store) => Store = (store) => store) {
  const folder = mkdtempSync(path.join(tmpdir(), "two-tool-"));
  const store = sqlite(path.join(folder, "store.db"));
  const { pack, done } = bulkPack();
  const twoTool = { store: change(store) };
  const surface = await createSurface({ packs: [pack], surface: "two-tool", twoTool, onBug: () => {} });
  const client = (await wires["sdk 2, protocol 2026-07-28"](surface)).client as Client;
  onTestFinished(async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  });
  const use = async (calls: readonly object[], operationId?: string) => {
    const context = { sessionId: "tuesday", memory: "nothing yet", goal: "fill up" };
    const given = { context, calls, ...(operationId !== undefined && { operationId }) };
    const { content } = await client.callTool({ name: "useTools", arguments: given });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  return { done, use };
}

const put = { pack: "bulk", tool: "put", params: { name: "committed" } };

test("references to too large results are refused, and the finished calls are answered", async () => {
  const { done, use } = await connect();
  const items = Array.from({ length: 2_900 }, () => "${steps.s2}");
  const calls = [put, { pack: "bulk", tool: "read" }, { pack: "bulk", tool: "take", params: { items } }];
  const answer = await use(calls, "once");
  expect(answer).toContain("2 succeeded, 1 not_run");
  expect(answer).toMatch(/\[s3\] bulk_take: not_run: too_large: .* larger than 134,217,728 bytes/);
  expect(answer).toContain("190,030 characters more");
  expect(answer.length).toBeLessThan(62_000);
  expect(await use(calls, "once")).toBe(answer);
  expect(done).toEqual(["committed"]);
});

test("results that cannot be kept for a retry are answered", async () => {
  const { done, use } = await connect(refusingResults);
  const answer = await use([put], "once");
  expect(answer).toContain("[s1] bulk_put: succeeded");
  expect(answer).toContain("These results could not be kept (too_large: the workspace is full)");
  expect(await use([put, { pack: "bulk", tool: "take", params: { items: [] } }], "twice")).toMatch(
    /bulk_put: succeeded[^]*could not be kept/,
  );
  expect(await use([put], "once")).toContain("or its results could not be kept");
  expect(done).toEqual(["committed", "committed"]);
});

/** A store that has room for the beginning of a batch, and for no results. */
function refusingResults(store: Store): Store {
  return new Proxy(store, {
    get(target, name) {
      if (name === "in") return (workspace: string) => refusingResults(target.in(workspace));
      if (name === "put") {
        return (...given: Parameters<Store["put"]>) => {
          const [kind, data] = given;
          const isFull = (kind as unknown) === batchKind && "results" in (data as object);
          if (isFull) throw new ToolError("too_large", "the workspace is full");
          return target.put(...given);
        };
      }
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}
