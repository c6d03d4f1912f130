import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { everyRecord } from "@toolpacks/store";
import { note, type Undoable } from "./undo.fixture.ts";

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

/** One random call of an actor. Calls that fail are part of it. */
export async function randomCall(at: Undoable, random: (below: number) => number, session: string): Promise<void> {
  const names = ["a", "b", "c", "d", "d/a", "d/b", "d/e", "d/e/a", "f", "f/g/h"];
  const any = () => names[random(names.length)] ?? "a";
  const text = () => `${random(1_000)}\n`.repeat(1 + random(3));
  const id = `n${random(4)}`;
  const calls: readonly (() => readonly [string, object])[] = [
    () => ["fs_write", { path: any(), content: text(), overwrite: true, parents: random(2) === 0 }],
    () => ["fs_edit", { path: any(), edits: [{ append: text() }] }],
    () => ["fs_move", { from: any(), to: any(), overwrite: random(3) === 0 }],
    () => ["fs_copy", { from: any(), to: any(), overwrite: random(3) === 0 }],
    () => ["fs_delete", { path: any(), permanent: random(2) === 0 }],
    () => ["fs_mkdir", { path: any() }],
    () => ["store_put", { kind: "note", id, record: { text: text(), tags: [session] } }],
    () => ["store_put", { kind: "note", record: { text: text() } }],
    () => ["store_close", { kind: "note", id }],
  ];
  const [name, args] = calls[random(calls.length)]?.() ?? ["fs_list", {}];
  await at.dispatcher.dispatch({ name, args, context: { session } });
}
