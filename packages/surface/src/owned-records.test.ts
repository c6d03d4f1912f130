import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { McpServer } from "@modelcontextprotocol/server";
import { defineKind, definePack } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { attach } from "./mount.ts";
import { createSurface, type Surface } from "./surface.ts";

const draft = defineKind({
  name: "draft",
  description: "A text that is not published.",
  schema: z.object({ text: z.string(), by: z.string().optional() }),
  owner: "by",
  indexes: ["by"],
  text: ["text"],
});

async function connect(surface: Surface, sub: string | undefined) {
  const server = new McpServer({ name: "test", version: "1.0.0" });
  attach(server, surface);
  const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
  await server.connect(serverSide);
  const send = clientSide.send.bind(clientSide);
  const authInfo = { token: "", clientId: "shared", scopes: [], extra: { sub } };
  if (sub !== undefined) clientSide.send = (message, options) => send(message, { ...options, authInfo });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(clientSide);
  onTestFinished(() => client.close());
  return async (name: string, args: Record<string, unknown>) => {
    const { content } = await client.callTool({ name, arguments: args });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
}

test("the store tools show and change only the caller's own records of a kind with an owner", async () => {
  const store = sqlite(path.join(mkdtempSync(path.join(tmpdir(), "owned-")), "store.db"));
  onTestFinished(() => store.end());
  const pack = definePack({ name: "drafts", description: "Drafts.", budget: 500, kinds: [draft], tools: () => [] })();
  const packs = [pack, storePack({ store, kinds: [draft] })];
  const surface = await createSurface({ packs, surface: "direct", results: "text" });
  const [ann, ben, local] = [
    await connect(surface, "ann"),
    await connect(surface, "ben"),
    await connect(surface, undefined),
  ];
  const kind = "draft";
  await ann("store_put", { kind, id: "a", record: { text: "of ann", by: "ben" } });
  await ben("store_put", { kind, record: { text: "of ben" } });
  await local("store_put", { kind, id: "c", record: { text: "of the local user" } });
  const views: readonly (readonly [string, Record<string, unknown>])[] = [
    ["store_query", { kind, fields: ["*"] }],
    ["store_query", { kind, text: "of" }],
  ];
  for (const [name, args] of views) {
    expect(await ann(name, args)).toMatch(/^(?=[^]*of ann)(?![^]*of ben)(?![^]*of the local user)/);
    expect(await ben(name, args)).toMatch(/^(?=[^]*of ben)(?![^]*of ann)(?![^]*of the local user)/);
    expect(await local(name, args)).toMatch(/^(?=[^]*of ben)(?=[^]*of ann)(?=[^]*of the local user)/);
  }
  for (const id of ["a", "c", "none"]) {
    const missing = `not_found: id: there is no draft with the id "${id}"`;
    expect(await ben("store_close", { kind, id })).toContain(missing);
    expect(await ben("store_put", { kind, id, patch: true, record: { text: "stolen" } })).toContain(missing);
  }
  expect(await ben("store_put", { kind, id: "a", record: { text: "stolen" } })).toContain("conflict: id:");
  expect(await ann("store_put", { kind, id: "a", patch: true, record: { text: "more of ann" } })).toContain("draft a");
  expect(await ann("store_close", { kind, id: "a" })).toContain("(closed)");
  expect((await store.get(draft, "a"))?.data).toEqual({ text: "more of ann", by: expect.stringContaining("ann") });
});
