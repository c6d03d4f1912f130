import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { defineKind, type WorkspaceAccess } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface } from "../surface.ts";
import { wires } from "../wire.fixture.ts";

const paper = defineKind({ name: "paper", schema: z.object({ title: z.string() }) });

async function connect(access: WorkspaceAccess) {
  const folder = mkdtempSync(path.join(tmpdir(), "two-tool-"));
  const workspaceName = (id: string) => id.replace(/~.*/, "");
  const store = sqlite(path.join(folder, "store.db"), { workspace: "api~1", workspaceName });
  for (const id of ["api~2", "secret~3"]) await store.in(id).put(paper, { title: `of ${id}` });
  const restricted = store.restrict({ ...access, calls: "followed" });
  const packs = [storePack({ store: restricted, kinds: [paper] })];
  const surface = await createSurface({ packs, surface: "two-tool", twoTool: { store: restricted } });
  const client = (await wires["sdk 2, protocol 2026-07-28"](surface)).client as Client;
  onTestFinished(async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  });
  const index = (await client.listTools()).tools[0]?.description ?? "";
  const call = async (tool: string, params: object, workspace: object = {}) => {
    const context = { ...workspace, sessionId: "s", memory: "none", goal: "write" };
    const given = { context, calls: [{ pack: "store", tool, params: { kind: "paper", ...params } }] };
    const { content } = await client.callTool({ name: "useTools", arguments: given });
    return content.map((block) => (block.type === "text" ? block.text : "")).join("\n");
  };
  return { store, index, call };
}

test("if only the own workspace may be opened, it needs no name, and no other is listed or opened", async () => {
  const { store, index, call } = await connect({ workspaces: "own", hint: "Ask the user for it." });
  expect(index).not.toMatch(/workspaces|api|secret/);
  for (const workspace of [{}, { workspaceId: "api" }, { workspaceId: "api~1" }, { workspaceId: "default" }]) {
    expect(await call("put", { record: { title: "a" } }, workspace)).toContain("1 succeeded");
  }
  expect((await store.query(paper)).total).toBe(4);
  for (const workspaceId of ["api~2", "secret", "secret~3", "none"]) {
    expect(await call("query", {}, { workspaceId })).toBe(
      `denied: workspace: ${JSON.stringify(workspaceId)} may not be opened from here\nAsk the user for it.`,
    );
  }
});

test("if another workspace may be opened, both are listed, by id if their names are equal", async () => {
  const { index, call } = await connect({ workspaces: ["api~2"] });
  expect(index).toContain("workspaces: api~1 (this project),api~2");
  expect(await call("query", {}, { workspaceId: "api~2" })).toContain("of api~2");
  expect(await call("query", {}, { workspaceId: "api" })).toMatch(/^denied/);
  expect(await call("query", {}, { workspaceId: "secret~3" })).toMatch(/^denied/);
});
