import { createHash } from "node:crypto";
import { defineKind, type Store } from "@toolpacks/core";
import { z } from "zod";
import { UnreadableState, type RemoteState, type StateKey } from "../remote-state.ts";
import type { SecretBox } from "./secret-box.ts";
import { withLease, type LeaseTimes } from "./store-lease.ts";

const remoteState = defineKind({
  name: "remote_state",
  description: "the accepted tools of another server, or an encrypted sign-in",
  schema: () =>
    z.strictObject({
      kind: z.enum(["accepted", "sign-in"]),
      server: z.string().max(200),
      caller: z.string().max(10_000),
      /** Accepted tools as JSON, or an encrypted sign-in. */
      content: z.string(),
    }),
});

interface StoredStateOptions {
  /** The store of the server's own records. */
  readonly store: Store;
  /** Opened when a sign-in is written or read. @throws ConfigurationError when there is no key */
  readonly openBox: () => SecretBox;
  /** Times of the leases of sign-ins. Default: those of `withLease`. */
  readonly times?: LeaseTimes;
}

/** Accepted tools and sign-ins in a store that several machines share. Sign-ins are encrypted. */
export function createStoredState({ store, openBox, times }: StoredStateOptions): RemoteState {
  let box: SecretBox | undefined;
  const openedBox = () => (box ??= openBox());
  const encode = (key: StateKey, text: string) =>
    key.kind === "sign-in" ? openedBox().encrypt(text, contextOf(key)) : text;
  const decode = (key: StateKey, content: string): string => {
    const text = key.kind === "sign-in" ? openedBox().decrypt(content, contextOf(key)) : content;
    if (text !== undefined) return text;
    throw new UnreadableState(
      `${describeKey(key)} cannot be decrypted with $TOOLPACKS_SECRET_KEY; set the key with which it was encrypted, or sign in again`,
    );
  };
  const readFrom = async (from: Store, key: StateKey) => {
    const found = await from.get(remoteState, idOf(key));
    return found && decode(key, found.data.content);
  };
  return {
    read: (key) => readFrom(store, key),
    update: (key, change) =>
      store.transaction(async (inside) => {
        const before = await readFrom(inside, key);
        const text = change(before);
        if (text === before) return text;
        await inside.put(remoteState, { ...key, content: encode(key, text) }, { id: idOf(key) });
        return text;
      }),
    remove: async (key) => void (await store.delete(remoteState, idOf(key))),
    withLock: (key, work) => withLease({ store, id: idOf(key), ...(times && { times }) }, work),
    watch: (key, changed) => watchRecord(store, idOf(key), changed),
    describe: describeKey,
  };
}

/** The id of a key's record. The hash is not shortened: a caller may choose its own id, and must not find another one with the same hash. */
function idOf({ kind, server, caller }: StateKey): string {
  return createHash("sha256")
    .update(JSON.stringify([kind, server, caller]))
    .digest("hex");
}

/** A record that is moved to another server or caller has another context, and cannot be decrypted. */
function contextOf({ kind, server, caller }: StateKey): string {
  return JSON.stringify(["toolpacks", kind, server, caller]);
}

function describeKey({ kind, server, caller }: StateKey): string {
  const what = kind === "accepted" ? "the record of accepted tools" : "the sign-in";
  return `${what} of ${server}${caller === "" ? "" : ` for the caller ${caller}`} in the store`;
}

/** Calls back when a record may have changed. Several writes to the store cause one read of the record. */
function watchRecord(store: Store, id: string, changed: () => void): () => void {
  let notify: (() => void) | undefined = changed;
  /** The generation of the record, 0 if there is none. Undefined before the first read. */
  let known: number | undefined;
  let reading: Promise<void> | undefined;
  let isStale = false;
  const readGeneration = async () => {
    do {
      isStale = false;
      const generation = (await store.get(remoteState, id))?.generation ?? 0;
      if (generation !== known && known !== undefined) notify?.();
      known = generation;
    } while (isStale);
  };
  const start = () => {
    isStale = true;
    // After a failure, the next change of the store causes another read.
    reading ??= readGeneration()
      .catch(() => {})
      .finally(() => (reading = undefined));
  };
  start();
  const watching = store.watch(start).catch(() => async () => {});
  // The record may have changed before the store was watched.
  void watching.then(start);
  return () => {
    notify = undefined;
    void watching.then((stop) => stop()).catch(() => {});
  };
}
