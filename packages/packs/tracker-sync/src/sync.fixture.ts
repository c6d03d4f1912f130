import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createCatalog, createDispatcher, type OwnedStore, type Outcome } from "@toolpacks/core";
import { issueKind, issues } from "@toolpacks/issues";
import { everyRecord, storePack } from "@toolpacks/store";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { linkKind } from "./link-kind.ts";
import { runKind } from "./one-run.ts";
import type { SyncReport } from "./sync-report.ts";
import { editTracker, newTracker, trackerPack, type TrackerIssue, type TrackerState } from "./tracker-pack.fixture.ts";
import { trackerSync } from "./tracker-sync.ts";

export interface SyncRun {
  /** Undefined if the process of the call was killed, or the call failed. */
  readonly report: SyncReport | undefined;
  /** What a model reads. */
  readonly text: string;
}

/** A store and a tracker, between which `issue_sync` runs. */
export type SyncPlace = Awaited<ReturnType<typeof createPlace>>;

const databases = {
  SQLite: async (directory: string) => ({ address: path.join(directory, "store.db"), remove: async () => {} }),
  PostgreSQL: async () => createDatabase(),
};

export type Database = keyof typeof databases;

const kind = issueKind();

interface LocalRecord {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly description?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly external_ref?: string | undefined;
}

/** @param setting fields of the entry of `servers`, beside GitHub's mapping */
export async function createPlace(database: Database = "SQLite", setting: object = {}, readOnly = false) {
  const directory = mkdtempSync(path.join(tmpdir(), "sync-"));
  const place = await databases[database](directory);
  const store = database === "SQLite" ? sqlite(place.address) : postgres(place.address);
  const servers = { tracker: { tracker: "github", args: { owner: "acme", repo: "web" }, ...setting } };
  const state = newTracker();
  const packs = [issues({ store, roots: [] }), trackerSync({ store, servers }), trackerPack(state)];
  const all = [storePack({ store, kinds: packs.flatMap((pack) => pack.kinds) }), ...packs];
  const dispatcher = createDispatcher(await createCatalog({ packs: all }).view({ readOnly }));
  return {
    store,
    sync: (args: object = {}) => runSync({ dispatcher, state }, args),
    /** Changes the tracker's issues or faults between two runs. */
    editThere: (edit: (state: TrackerState) => void) => editTracker(state, edit),
    there: (): readonly TrackerIssue[] => structuredClone(state.issues),
    /** The faults that did not occur yet. */
    faultsLeft: () => state.faults,
    addHere: async (issue: object) => (await store.put(kind, issue as { title: string })).id,
    editHere: (id: string, patch: object) => store.put(kind, patch, { id, patch: true }),
    removeHere: (id: string) => store.delete(kind, id),
    /** The issues here with their ids, the oldest first. */
    here: (): Promise<readonly LocalRecord[]> =>
      Array.fromAsync(everyRecord(store, kind, { sort: ["graph.age"], includeClosed: true }), ({ id, data }) => ({
        id,
        ...data,
      })),
    letTimePass: () => letTimePass(store),
    async end() {
      await store.end();
      await place.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** Undoes what a killed process leaves for a while: its run, and the time of its last attempts. */
async function letTimePass(store: OwnedStore): Promise<void> {
  for await (const { id } of everyRecord(store, runKind)) await store.delete(runKind, id);
  for await (const { id, data } of everyRecord(store, linkKind)) {
    if (data.began !== undefined) await store.put(linkKind, { ...data, began: "2026-01-01T00:00:00Z" }, { id });
  }
}

interface Running {
  readonly dispatcher: ReturnType<typeof createDispatcher>;
  readonly state: TrackerState;
}

async function runSync({ dispatcher, state }: Running, args: object): Promise<SyncRun> {
  const interrupted = new AbortController();
  const killed = new Promise<undefined>((resolve) => (state.onKill = () => resolve(undefined)));
  state.onInterrupt = () => interrupted.abort();
  const call = dispatcher.dispatch({
    name: "issue_sync",
    args: { tracker: "tracker", ...args },
    context: { signal: interrupted.signal },
  });
  const outcome: Outcome | undefined = await Promise.race([call, killed]);
  if (outcome === undefined) return { report: undefined, text: "killed" };
  if (outcome.ok) return { report: outcome.value as SyncReport | undefined, text: outcome.text };
  const { code, message, hint = "" } = outcome.failure;
  return { report: undefined, text: `${code}: ${message} ${hint}` };
}

/** How both sides differ, by the titles of their issues. Empty: each issue is on both sides once, with the same fields. */
export async function differences(place: SyncPlace): Promise<readonly string[]> {
  const sides = new Map<string, string[]>();
  const add = (side: string, text: string) => sides.set(text, [...(sides.get(text) ?? []), side]);
  const form = (one: { title: string; body: string; isClosed: boolean; labels: readonly string[] }) =>
    JSON.stringify(one);
  for (const { title, description = "", status, labels = [], external_ref: ref } of await place.here()) {
    add(
      "here",
      `${ref} ${form({ title, body: description, isClosed: status === "closed", labels: labels.toSorted() })}`,
    );
  }
  for (const { number, title, body = "", state, labels = [] } of place.there()) {
    add("there", `gh-${number} ${form({ title, body, isClosed: state === "CLOSED", labels: labels.toSorted() })}`);
  }
  return [...sides]
    .filter(([, found]) => found.toSorted().join() !== "here,there")
    .map(([text, found]) => `${found.join()}: ${text}`);
}
