import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { defineKind, type WorkspaceAccess } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { createSurface, type SurfaceName } from "../surface.ts";
import { wires } from "../wire.fixture.ts";

const paper = defineKind({
  name: "paper",
  schema: z.object({ title: z.string(), color: z.string() }),
  indexes: ["color"],
  text: ["title"],
  meaning: ["title"],
});

const letter = defineKind({
  name: "letter",
  schema: z.object({ title: z.string(), by: z.string().optional() }),
  indexes: ["by"],
  owner: "by",
});

interface Setting {
  readonly access?: WorkspaceAccess;
  readonly surface?: SurfaceName;
  /** Ids of the workspaces that calls may name. Default: all. */
  readonly listed?: readonly string[];
}

async function connect({ access = { workspaces: "all" }, surface = "two-tool", listed }: Setting = {}) {
  const folder = mkdtempSync(path.join(tmpdir(), "elsewhere-"));
  const store = sqlite(path.join(folder, "store.db"), {
    workspace: "acme~1",
    workspaceName: (id) => id.replace(/~.*/, ""),
  });
  const inStore = (workspace: string, count: number, color = "red") =>
    Promise.all(
      Array.from({ length: count }, (_, at) => store.in(workspace).put(paper, { title: `plan ${at}`, color })),
    );
  const restricted = store.restrict({ ...access, calls: "followed" });
  const packs = [storePack({ store: restricted, kinds: [paper, letter] })];
  const workspaces = listed && { workspaces: async () => listed };
  const made = await createSurface({ packs, surface, twoTool: { store: store.restrict(access), ...workspaces } });
  const client = (await wires["sdk 2, protocol 2026-07-28"](made)).client as Client;
  onTestFinished(async () => {
    await client.close();
    await store.end();
    rmSync(folder, { recursive: true });
  });
  const text = async (name: string, args: Record<string, unknown>) =>
    (await client.callTool({ name, arguments: args })).content
      .map((block) => (block.type === "text" ? block.text : ""))
      .join("\n");
  const query = (params: object, workspace: object = {}) =>
    text("useTools", {
      context: { sessionId: "s", memory: "none", goal: "read", ...workspace },
      calls: [{ pack: "store", tool: "query", params: { kind: "paper", ...params } }],
    });
  return { store, inStore, text, query, made };
}

test("without a workspace, calls and the session are in the project's own", async () => {
  const { inStore, text, query } = await connect();
  await inStore("acme~1", 1);
  expect(await query({})).toContain("plan 0");
  expect(await text("getTools", { context: { sessionId: "s", memory: "none", goal: "read" } })).toMatch(
    /^session s-\w+ in workspace acme\n/,
  );
});

test("an empty list says where there is more, by the same filter and words", async () => {
  const { inStore, query } = await connect();
  await inStore("acme~1", 74);
  await inStore("garden~2", 3);
  await inStore("garden~2", 2, "blue");
  const shed = { workspaceId: "shed" };
  await inStore("shed", 1, "green");
  const hint = " (name it as context.workspaceId)";
  expect(await query({ filter: { color: "red" } }, shed)).toContain(
    `none here; 74 in acme (this project), 3 in garden${hint}`,
  );
  const related = await query({ text: "plan 73" }, shed);
  expect(related).toMatch(/plan 0.*\n.*None has all of the words/);
  expect(related).toContain(`none here; 1 in acme (this project)${hint}`);
  expect(await query({ text: "plan 73", filter: { color: "green" } })).not.toContain("none here");
  expect(await query({ filter: { color: "blue" } })).toContain(`none here; 2 in garden${hint}`);
  expect(await query({ filter: { color: "black" } }, shed)).not.toContain("none here");
  expect(await query({ filter: { color: "green" } }, shed)).not.toContain("none here");
  expect(await query({ filter: { color: "red" } }, { workspaceId: "garden" })).not.toContain("none here");
});

test("many workspaces are counted in part", async () => {
  const { inStore, query } = await connect();
  for (let at = 0; at < 6; at += 1) await inStore(`w${at}`, at + 1);
  expect(await query({})).toContain("none here; 6 in w5, 5 in w4, 4 in w3, more in 3 other workspaces");
  await inStore("w5", 300);
  expect(await query({})).toMatch(/none here; (\d+ or more in w\d, ){3}more in \d other workspaces/);
});

test("a workspace that the caller may not open, or that is archived, is neither named nor counted", async () => {
  const restricted = await connect({ access: { workspaces: ["shed"] } });
  await restricted.inStore("secret~2", 5);
  expect(await restricted.query({})).not.toMatch(/none here|secret|5 in/);
  await restricted.inStore("shed", 2);
  expect(await restricted.query({})).toContain("none here; 2 in shed (");
  const alone = await connect({ access: { workspaces: "own" } });
  await alone.inStore("secret~2", 5);
  expect(await alone.query({})).not.toMatch(/none here|secret|5 in/);
  const archived = await connect({ listed: ["acme~1", "shed"] });
  await archived.inStore("old", 5);
  expect(await archived.query({})).not.toMatch(/none here|old|5 in/);
});

test.each(["direct", "discovery"] as const)("on %s, too", async (surface) => {
  const { inStore, text } = await connect({ surface });
  expect(await text("store_query", { kind: "paper" })).not.toContain("none here");
  await inStore("garden~2", 3);
  expect(await text("store_query", { kind: "paper" })).toMatch(/none here; 3 in garden$/);
});

test("records of another principal are not counted", async () => {
  const { store, made } = await connect({ surface: "discovery" });
  const listed = async (principal: string) => {
    const outcome = await made.call({ name: "store_query", args: { kind: "letter" }, context: { principal } });
    return outcome.ok && outcome.notice;
  };
  await store.in("garden~2").put(letter, { title: "of bob", by: "bob" });
  expect(await listed("ann")).toBeUndefined();
  await store.in("garden~2").put(letter, { title: "of ann", by: "ann" });
  expect(await listed("ann")).toBe("none here; 1 in garden");
});
