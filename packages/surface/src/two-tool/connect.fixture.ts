import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import type { Pack } from "@toolpacks/core";
import { sqlite } from "@toolpacks/store-sqlite";
import { onTestFinished } from "vitest";
import { createSurface } from "../surface.ts";
import { wires } from "../wire.fixture.ts";
import type { TwoToolOptions } from "./two-tools.ts";

/** A call's context, in the store's own workspace. */
export const context = { sessionId: "tuesday", memory: "nothing yet", goal: "tidy the desk" };

/** A store in a temporary folder, which is removed after the test. */
export function scratchStore() {
  const folder = mkdtempSync(path.join(tmpdir(), "two-tool-"));
  const store = sqlite(path.join(folder, "store.db"));
  onTestFinished(async () => {
    await store.end();
    rmSync(folder, { recursive: true });
  });
  return store;
}

interface Answer {
  readonly isError?: boolean;
  readonly content: { type: string; text: string }[];
}

/** Connects a client to a two-tool surface. `ask` and `read` call with the context above, if the arguments have none. */
export async function connect(packs: readonly Pack[], options: Partial<TwoToolOptions> = {}) {
  const store = options.store ?? scratchStore();
  const surface = await createSurface({ packs, surface: "two-tool", twoTool: { ...options, store }, onBug: () => {} });
  const client = (await wires["sdk 2, protocol 2026-07-28"](surface)).client as Client;
  onTestFinished(() => client.close());
  const ask = async (name: string, args: Record<string, unknown>, signal?: AbortSignal) => {
    const given = { name, arguments: { context, ...args } };
    return (await client.callTool(given, signal && { signal })) as unknown as Answer;
  };
  const read = async (name: string, args: Record<string, unknown>) =>
    (await ask(name, args)).content.map((block) => block.text).join("\n");
  return { client, store, ask, read };
}
