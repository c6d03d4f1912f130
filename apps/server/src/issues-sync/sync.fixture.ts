import { rmSync } from "node:fs";
import path from "node:path";
import { everyRecord } from "@toolpacks/store";
import type { OwnedStore } from "@toolpacks/core";
import { issueKind } from "@toolpacks/issues";
import { postgres } from "@toolpacks/store-postgres";
import { createDatabase } from "@toolpacks/store-postgres/fixture";
import { sqlite } from "@toolpacks/store-sqlite";
import { folder, run } from "../command.fixture.ts";
import { lease } from "@toolpacks/upstream/shared-state";
import { linkKind } from "./link-kind.ts";
import type { DescribedPlan } from "./render-plan.ts";
import type { AppliedSync } from "./apply-sync.ts";
import { readTracker, writeTracker, type TrackerIssue, type TrackerState } from "./tracker-server.fixture.ts";

/** What `issues sync --json` prints. */
export interface SyncOutput extends DescribedPlan {
  readonly applied: false | AppliedSync;
}

export interface SyncRun {
  readonly code: number;
  /** Undefined if the command was killed, or failed before it had a plan. */
  readonly output: SyncOutput | undefined;
  readonly stderr: string;
}

type Issue = Parameters<OwnedStore["put"]>[1];

/** A store and a tracker, between which `toolpacks issues sync tracker` runs. */
export interface SyncPlace {
  sync(...args: readonly string[]): Promise<SyncRun>;
  /** Runs the command with text output. */
  text(...args: readonly string[]): Promise<string>;
  /** Changes the tracker's issues or faults between two runs. */
  editThere(edit: (state: TrackerState) => void): void;
  there(): readonly TrackerIssue[];
  /** The faults that did not occur yet. */
  faultsLeft(): TrackerState["faults"];
  readonly store: OwnedStore;
  addHere(issue: Issue): Promise<string>;
  editHere(id: string, patch: object): Promise<unknown>;
  /** The issues here with their ids, the oldest first. */
  here(): Promise<readonly LocalRecord[]>;
  /** Undoes what a killed process leaves for a while: its lease, and the time of its last attempts. */
  letTimePass(): Promise<void>;
  end(): Promise<void>;
}

export interface LocalRecord {
  readonly id: string;
  readonly title: string;
  readonly status: string;
  readonly description?: string | undefined;
  readonly labels?: readonly string[] | undefined;
  readonly external_ref?: string | undefined;
}

const databases = {
  SQLite: async (directory: string) => ({ address: path.join(directory, "store.db"), remove: async () => {} }),
  PostgreSQL: async () => createDatabase(),
};

export type Database = keyof typeof databases;

const server = path.join(import.meta.dirname, "tracker-server.fixture.ts");
const kind = issueKind();
const workspace = "default";

/**
 * @param setting fields of the entry of `issuesSync`, beside GitHub's mapping
 * @param more other settings of the config file
 */
export async function createPlace(
  database: Database = "SQLite",
  setting: object = {},
  more: object = {},
): Promise<SyncPlace> {
  const directory = folder();
  const file = path.join(directory, "tracker.json");
  const place = await databases[database](directory);
  const { address } = place;
  const config = {
    ...more,
    mcpServers: { tracker: { command: process.execPath, args: [server, file] } },
    issuesSync: { tracker: { tracker: "github", args: { owner: "acme", repo: "web" }, ...setting } },
  };
  const command = ["issues", "sync", "tracker", "--store", address, "--workspace", workspace];
  const cwd = folder({ "toolpacks.config.json": JSON.stringify(config) });
  writeTracker(file, { issues: [], faults: [], calls: { list: 0, get: 0, create: 0, update: 0 } });
  const store = database === "SQLite" ? sqlite(address, { workspace }) : postgres(address, { workspace });
  return {
    store,
    async sync(...args) {
      return readRun(await run([...command, "--json", ...args], { cwd }));
    },
    text: async (...args) => (await run([...command, ...args], { cwd })).stdout,
    editThere(edit) {
      const state = readTracker(file);
      state.calls = { list: 0, get: 0, create: 0, update: 0 };
      edit(state);
      writeTracker(file, state);
    },
    there: () => readTracker(file).issues,
    faultsLeft: () => readTracker(file).faults,
    addHere: async (issue) => (await store.put(kind, issue as { title: string })).id,
    editHere: (id, patch) => store.put(kind, patch, { id, patch: true }),
    here: () =>
      Array.fromAsync(everyRecord(store, kind, { sort: ["graph.age"], includeClosed: true }), ({ id, data }) => ({
        id,
        ...data,
      })),
    async letTimePass() {
      const internal = store.internal();
      for await (const { id } of everyRecord(internal, lease)) await internal.delete(lease, id);
      for await (const { id, data } of everyRecord(store, linkKind)) {
        if (data.began !== undefined) await store.put(linkKind, { ...data, began: "2026-01-01T00:00:00Z" }, { id });
      }
    },
    async end() {
      await store.end();
      await place.remove();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function readRun({ code, stdout, stderr }: Awaited<ReturnType<typeof run>>): SyncRun {
  return { code, stderr, output: stdout === "" ? undefined : (JSON.parse(stdout) as SyncOutput) };
}

/** How both sides differ, by the titles of their issues. Empty: each issue is on both sides once, with the same fields. */
export async function differences(place: SyncPlace): Promise<readonly string[]> {
  const here = new Map<string, string[]>();
  const add = (side: string, text: string) => here.set(text, [...(here.get(text) ?? []), side]);
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
  return [...here]
    .filter(([, sides]) => sides.toSorted().join() !== "here,there")
    .map(([text, sides]) => `${sides.join()}: ${text}`);
}
