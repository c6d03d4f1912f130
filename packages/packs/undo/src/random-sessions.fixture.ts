import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { everyRecord } from "@toolpacks/store";
import { postgres } from "@toolpacks/store-postgres";
import { sqlite } from "@toolpacks/store-sqlite";
import { expect } from "vitest";
import { note, undoable, type Undoable } from "./undo.fixture.ts";

/** Numbers that a seed determines. */
export function randomOf(seed: number) {
  let state = seed * 2_654_435_761 + 1;
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

/** Everything that the tools can change: files with their modes, links, folders and notes. */
export async function stateOf({ root, store }: Undoable): Promise<Readonly<Record<string, unknown>>> {
  const state: Record<string, unknown> = {};
  const read = (at: string) => {
    for (const name of readdirSync(path.join(root, at)).toSorted()) {
      const [shown, full] = [path.join(at, name), path.join(root, at, name)];
      if (name === ".trash") continue;
      const stats = lstatSync(full);
      state[shown] = stats.isSymbolicLink()
        ? `link ${readlinkSync(full)}`
        : stats.isDirectory()
          ? `folder ${stats.mode}`
          : `${stats.mode} ${readFileSync(full, "latin1")}`;
      if (stats.isDirectory()) read(shown);
    }
  };
  read("");
  for await (const { id, data, closed } of everyRecord(store, note, { includeClosed: true, sort: ["id"] }))
    state[`note ${id}`] = { data, closed };
  return state;
}

/** The store of both servers, and what they share. */
export interface SharedPlaces {
  /** A file of SQLite, or an address of PostgreSQL. */
  readonly store: string;
  readonly root: string;
  readonly lockFile: string;
}

/** What a test uses of a server. */
export type Server = Pick<Undoable, "call" | "end">;

export function openServer({ store, root, lockFile }: SharedPlaces): Undoable {
  return undoable(() => (store.startsWith("postgres") ? postgres(store) : sqlite(store)), { lockFile, roots: [root] });
}

/** One random call of an actor. Calls that fail are part of it. */
export async function randomCall(at: Server, random: (below: number) => number, session: string): Promise<void> {
  const names = ["a", "b", "c", "d", "d/a", "d/b", "d/e", "d/e/a", "f", "f/g/h"];
  const any = () => names[random(names.length)] ?? "a";
  const text = () => `${random(1_000)}\n`.repeat(1 + random(3));
  const id = `n${random(4)}`;
  const calls: readonly (() => readonly [string, object])[] = [
    () => ["fs_write", { path: any(), content: text(), overwrite: true, parents: random(2) === 0 }],
    () => ["fs_edit", { path: any(), edits: [{ append: text() }] }],
    () => ["fs_move", { from: any(), to: any(), overwrite: random(3) === 0, parents: random(2) === 0 }],
    () => ["fs_copy", { from: any(), to: any(), overwrite: random(3) === 0, parents: random(2) === 0 }],
    () => ["fs_delete", { path: any(), permanent: random(2) === 0 }],
    () => ["fs_mkdir", { path: any() }],
    () => ["store_put", { kind: "note", id, record: { text: text(), tags: [session] } }],
    () => ["store_put", { kind: "note", record: { text: text() } }],
    () => ["store_close", { kind: "note", id }],
  ];
  const [name, args] = calls[random(calls.length)]?.() ?? ["fs_list", {}];
  await at.call(name, args, { session }).catch(() => {});
}

/** The calls that changed something, the newest first. */
async function callsOf(at: Undoable): Promise<readonly string[]> {
  const { items } = await at.call("undo_list", { limit: 200, undone: true });
  return (items as readonly { readonly call: string }[]).map(({ call }) => call);
}

/** Generates a session of three actors, takes it back call by call to a random point, then all, then that again, and compares with copies. */
export async function checkSession(at: Undoable, seed: number): Promise<void> {
  const random = randomOf(seed);
  const states = [await stateOf(at)];
  for (let step = 0; step < 12; step += 1) {
    await randomCall(at, random, `s${random(3)}`);
    states.push(await stateOf(at));
  }
  const steps = states.filter((state, step) => step === 0 || !isDeepStrictEqual(state, states[step - 1]));
  const calls = await callsOf(at);
  expect(steps, `seed ${seed}`).toHaveLength(calls.length + 1);
  const count = random(calls.length + 1);
  for (const call of calls.slice(0, count)) await at.call("undo", { call });
  expect(await stateOf(at), `seed ${seed}, ${count} calls back`).toEqual(steps[calls.length - count]);
  if (count === calls.length) return;
  await at.call("undo", { since: random(2) === 0 ? 0 : "2000-01-01T00:00:00Z" });
  expect(await stateOf(at), `seed ${seed}, all back`).toEqual(steps[0]);
  await at.call("undo", { call: (await callsOf(at))[0] });
  expect(await stateOf(at), `seed ${seed}, again`).toEqual(steps[calls.length - count]);
}

/**
 * Two servers on one store and one folder, whose calls run at the same time, two of each. Between the pairs, a copy is kept. Both take back to a random copy at
 * once. Returns how often a conflict refused that, which must leave all as it is.
 *
 * @param address of a database on PostgreSQL; default: SQLite
 */
export async function checkServers(
  seed: number,
  { address, openOther = openServer }: { readonly address?: string; readonly openOther?: OpenServer } = {},
): Promise<number> {
  const one = undoable(address === undefined ? undefined : () => postgres(address));
  const places = { root: one.root, lockFile: path.join(one.folder, "undo.lock") };
  const other = await openOther({ ...places, store: address ?? path.join(one.folder, "store.db") });
  const both: readonly Server[] = [one, other];
  const random = randomOf(seed);
  try {
    const copies: { readonly at: string; readonly state: object }[] = [];
    for (let step = 0; step < 6; step += 1) {
      copies.push({ at: new Date().toISOString(), state: await stateOf(one) });
      await wait(2);
      await Promise.all([...both, ...both].map((server, actor) => randomCall(server, random, `s${actor}`)));
    }
    const last = await stateOf(one);
    for (const server of both) await server.call("undo_list", {});
    const copy = copies[random(copies.length)];
    const ends = await Promise.allSettled(both.map((server) => server.call("undo", { since: copy?.at ?? "" })));
    const isUndone = ends.some(({ status }) => status === "fulfilled");
    expect(
      await stateOf(one),
      `seed ${seed}: ${ends.map((end) => (end.status === "rejected" ? String(end.reason) : "done")).join(", ")}`,
    ).toEqual(isUndone ? copy?.state : last);
    return isUndone ? 0 : 1;
  } finally {
    await other.end();
    await one.end();
  }
}

type OpenServer = (places: SharedPlaces) => Server | Promise<Server>;
