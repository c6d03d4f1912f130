import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  createCatalog,
  createDispatcher,
  renderFailure,
  type ArchiveLine,
  type OwnedStore,
  type ToolContext,
} from "@toolpacks/core";
import { sqlite, type SqliteOptions } from "@toolpacks/store-sqlite";
import type { PackUnderTest } from "@toolpacks/testkit";
import { createTraces } from "./traces/create-traces.ts";
import { entity } from "./knowledge/entity.ts";
import { importTranscript } from "./episodes/import-transcript.ts";
import { memory } from "./memory.ts";
import { observation } from "./knowledge/observation.ts";
import { relation } from "./knowledge/relation.ts";
import { state } from "./states/state.ts";
import { trace } from "./traces/trace.ts";
import { workspace } from "./workspaces/workspace.ts";

/** Creates an empty store in a temporary folder. */
export function emptyStore(options: SqliteOptions = {}): {
  store: OwnedStore;
  file: string;
  remove: (files?: boolean) => Promise<void>;
} {
  const folder = mkdtempSync(path.join(tmpdir(), "memory-"));
  const file = path.join(folder, "store.db");
  const store = sqlite(file, options);
  return {
    store,
    file,
    async remove(files = true) {
      await store.end();
      if (files) rmSync(folder, { recursive: true });
    },
  };
}

const sampleTranscript = JSON.stringify({
  type: "user",
  uuid: "u1",
  sessionId: "s1",
  timestamp: "2026-01-31T09:00:00.000Z",
  message: { role: "user", content: "Why does the migration fail?" },
});

/** Writes at least one record of each kind into a store. */
async function fill(store: OwnedStore): Promise<void> {
  await store.put(entity, { name: "Anna", type: "person", tags: ["people"] });
  await store.put(entity, { name: "Billing" });
  await store.put(observation, { text: "Anna lives in Lund.", about: ["Anna"], tags: ["people"] }, { id: "o1" });
  await store.put(relation, { from: "Anna", type: "knows", to: "Billing" });
  await store.in("old").put(workspace, { name: "old", purpose: "Over." }, { id: "old" });
  await store.put(state, { name: "first", memory: "Begun.", goal: "Ship", session: "s1" });
  await importTranscript(store, [Buffer.from(sampleTranscript)]);
  const outcome = { outcome: "ok", ms: 1, at: new Date().toISOString() };
  await store.put(trace, { tool: "fs_read", session: "s1", goal: "the migration", ...outcome });
}

/** The content of a filled store's file. Cached, because the contract tests create many packs. */
let filledFile: Promise<Buffer> | undefined;

async function makeFilledFile(): Promise<Buffer> {
  const { store, file, remove } = emptyStore();
  await fill(store);
  await remove(false);
  const content = readFileSync(file);
  rmSync(path.dirname(file), { recursive: true });
  return content;
}

/** The pack over a filled store. */
export async function memoryUnderTest(): Promise<PackUnderTest> {
  const content = await (filledFile ??= makeFilledFile());
  const { store, file, remove } = emptyStore();
  writeFileSync(file, content, { mode: 0o600 });
  const traces = createTraces(store);
  return {
    pack: memory({ store, traces }),
    fingerprint: () => records(store),
    dispose: remove,
  };
}

async function records(store: OwnedStore): Promise<readonly ArchiveLine[]> {
  const lines: ArchiveLine[] = [];
  for await (const line of store.export()) if ("kind" in line) lines.push(line);
  return lines;
}

export type Conversation = ReturnType<typeof conversation>;

/** A traced session with the pack. `ask` returns the text that a model reads. */
export function conversation(options: { keep?: number; days?: number } = {}) {
  const { store, file, remove } = emptyStore();
  const traces = createTraces(store, options);
  const catalog = createCatalog({ packs: [memory({ store, traces })] });
  const dispatcher = createDispatcher(catalog, { observers: [traces.observer] });
  return {
    store,
    file,
    traces,
    dispatcher,
    async ask(name: string, args: object = {}, context: Partial<ToolContext> = {}): Promise<string> {
      const outcome = await dispatcher.dispatch({ name, args, context });
      return outcome.ok ? outcome.text : renderFailure(outcome.failure);
    },
    async end() {
      await traces.flush();
      await remove();
    },
  };
}
