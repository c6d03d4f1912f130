import { createCatalog, createDispatcher, defineKind, definePack } from "@toolpacks/core";
import { storePack } from "@toolpacks/store";
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { note, undoable, undoOf } from "./undo.fixture.ts";

/** A record whose rule writes the note `last`, and removes the note about it when it is deleted. */
const vote = defineKind({
  name: "vote",
  schema: z.object({ for: z.string() }),
  async rule({ id, operation, after, store }) {
    const { tags } = (await store.get(note, "last"))?.data ?? {};
    if (operation === "delete") await store.delete(note, `about ${id}`);
    else await store.put(note, { text: `voted for ${after.for}`, tags }, { id: "last" });
  },
});

/** Votes and notes with undo. `call` returns the id of the call. */
function withVotes() {
  const at = undoable();
  onTestFinished(() => at.end());
  const { store } = at;
  const kept = undoOf(at);
  const kinds = [note, vote];
  const votes = definePack({ name: "votes", description: "Votes.", budget: 0, kinds, tools: () => [] });
  const catalog = createCatalog({ packs: [storePack({ store, kinds }), votes(), kept.pack] });
  const around = { interceptors: [kept.interceptor], observers: [kept.observer] };
  const dispatcher = createDispatcher(catalog, around);
  const call = async (name: string, args: object) => {
    const outcome = await dispatcher.dispatch({ name, args });
    if (!outcome.ok) throw new Error(outcome.failure.message);
    return (await at.entries())[0]?.call ?? "";
  };
  return { store, call };
}

test("what a rule has written is taken back, but not over what was changed since without an entry", async () => {
  const { store, call } = withVotes();
  for (const name of ["ann", "ben"]) await call("store_put", { kind: "vote", id: "v", record: { for: name } });
  await call("undo", { since: (await store.get(vote, "v"))?.generation ?? 0 });
  expect((await store.get(note, "last"))?.data.text).toBe("voted for ben");
  await store.put(note, { tags: ["by another program"] }, { id: "last", patch: true });
  await expect(call("undo", { since: 0 })).rejects.toThrow("note last: another program has changed it since");
  expect((await store.get(note, "last"))?.data).toEqual({ text: "voted for ben", tags: ["by another program"] });
});

test.each(["another call", "another program"])("no rule removes what %s has written, by an undo", async (who) => {
  const { store, call } = withVotes();
  const voted = await call("store_put", { kind: "vote", id: "v", record: { for: "ann" } });
  const about = { kind: "note", id: "about v", record: { text: who } };
  await (who === "another call" ? call("store_put", about) : store.put(note, about.record, { id: about.id }));
  await expect(call("undo", { call: voted })).rejects.toThrow("note about v: it would be removed, too");
  expect([(await store.get(vote, "v"))?.data.for, (await store.get(note, "about v"))?.data.text]).toEqual(["ann", who]);
});

test("a new record that the rule of another call's record has changed since is not taken back", async () => {
  const { call } = withVotes();
  const noted = await call("store_put", { kind: "note", id: "last", record: { text: "none" } });
  await call("store_put", { kind: "vote", id: "v", record: { for: "ann" } });
  await expect(call("undo", { call: noted })).rejects.toThrow("note last: it was changed since");
});

test("a record is not taken back over a write without an entry between two calls", async () => {
  const at = undoable();
  onTestFinished(() => at.end());
  const put = (text: string) => at.call("store_put", { kind: "note", id: "n", record: { text } });
  await put("one");
  await at.store.put(note, { text: "by another program" }, { id: "n" });
  await put("two");
  await expect(at.call("undo", { since: 0 })).rejects.toThrow("note n: another program has changed it since");
  await at.call("undo", { since: 0, skipConflicts: true });
  await expect(at.call("undo", { since: 0 })).rejects.toThrow("another program has changed it since");
  expect((await at.store.get(note, "n"))?.data.text).toBe("by another program");
});

test("what was written after the generation of a record is taken back, and that record is not", async () => {
  const at = undoable();
  onTestFinished(() => at.end());
  for (const id of ["a", "b"]) await at.call("store_put", { kind: "note", id, record: { text: id } });
  await at.call("undo", { since: (await at.store.get(note, "a"))?.generation });
  expect([(await at.store.get(note, "a"))?.data.text, await at.store.get(note, "b")]).toEqual(["a", undefined]);
});

test("what the rule of another call's record has changed since is not overwritten", async () => {
  const { store, call } = withVotes();
  await call("store_put", { kind: "note", id: "last", record: { text: "none" } });
  const tagged = await call("store_put", { kind: "note", id: "last", record: { text: "none", tags: ["x"] } });
  await call("store_put", { kind: "vote", id: "v", record: { for: "ann" } });
  await expect(call("undo", { call: tagged })).rejects.toThrow(
    "note last: it was changed since by the rule of another",
  );
  expect((await store.get(note, "last"))?.data.text).toBe("voted for ann");
});

test("no rule removes what was closed, by an undo", async () => {
  const { store, call } = withVotes();
  const voted = await call("store_put", { kind: "vote", id: "v", record: { for: "ann" } });
  await call("store_put", { kind: "note", id: "about v", record: { text: "closed" } });
  await call("store_close", { kind: "note", id: "about v" });
  await expect(call("undo", { call: voted })).rejects.toThrow("note about v: it would be removed, too");
  expect((await store.get(note, "about v"))?.closed).toBe(true);
});
