import { createHash } from "node:crypto";
import {
  definedOnly,
  defineKind,
  maxIdLength,
  ToolError,
  type Change,
  type Kind,
  type Ruling,
  type Store,
  type Stored,
} from "@toolpacks/core";
import { z } from "zod";
import { entityId } from "./entity-id.ts";
import { entityRecord } from "./entity-record.ts";
import { cutText } from "../cut-text.ts";
import { ensureRecord } from "../ensure-record.ts";
import { recallCount } from "./recall-count.ts";

const schema = () =>
  z.object({
    text: z.string().min(1).max(1_000_000),
    about: z.array(z.string().min(1).max(200)).max(50).optional().describe("names of entities; new ones are made"),
    tags: z.array(z.string().min(1).max(200)).max(50).optional(),
    source: z.string().min(1).max(2_000).optional().describe("where it is known from"),
    supersedes: z
      .string()
      .min(1)
      .max(maxIdLength)
      .optional()
      .describe("the id of the observation that is no longer true"),
    since: z.iso.datetime({ offset: true }).optional().describe("default: now"),
    until: z.string().max(40).optional().describe("set by closing"),
    note: z.string().max(10_000).optional().describe("set by closing: why"),
    supersededBy: z.string().max(maxIdLength).optional().describe("set when another supersedes it"),
    was: z.string().max(400).optional().describe("set: the beginning of what it supersedes"),
  });

type Observation = z.output<ReturnType<typeof schema>>;

const maxPreviousLength = 200;
/** 82 bits. */
const idLength = 16;

/**
 * One thing that is known, in a sentence or a text. One that supersedes another closes it, and both stay as history; the open ones are what
 * holds now.
 */
export const observation: Kind<ReturnType<typeof schema>> = defineKind({
  name: "observation",
  description: "One thing that is known, about entities or in general.",
  schema,
  indexes: ["about", "tags", "since"],
  text: ["text", "about", "tags"],
  summary: ["text", "about", "tags", "since", "until", "was", "supersedes", "supersededBy"],
  close: (_record, { now, note }) => ({ until: now, ...(note !== undefined && { note }) }),
  newId,
  rule,
  keywords: ["fact", "knowledge", "memory", "remember", "preference"],
  examples: [{ text: "Deploys freeze on Fridays.", about: ["billing-api"], source: "runbook" }],
});

/** What is known already in the same words about the same entities, and the id that it has or would have. */
export async function sameObservation(
  store: Store,
  record: Pick<Observation, "text" | "about">,
): Promise<{ readonly id: string; readonly known: Stored<Observation> | undefined }> {
  const digest = observationDigest(record);
  for (let times = 1; ; times += 1) {
    const id = times === 1 ? digest : `${digest}.${times}`;
    const known = await store.get(observation, id);
    if (known === undefined) return { id, known };
    // One that no longer holds stays as history, and one that was edited is another.
    if (!known.closed && observationDigest(known.data) === digest) return { id, known };
  }
}

async function newId(record: Observation, store: Store): Promise<string> {
  const { id, known } = await sameObservation(store, record);
  if (known === undefined) return id;
  throw new ToolError("conflict", `text: this is known already, as ${id}`, "Patch that one, or supersede it.");
}

/**
 * The same for the same text about the same entities, whatever its case, spaces and last full stop. No more is let go: a sign or an ending may be
 * all that two facts differ in.
 */
function observationDigest({ text, about = [] }: Pick<Observation, "text" | "about">): string {
  const folded = text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
  const parts = [folded, about.map(entityId).toSorted()];
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return BigInt(`0x${hash}`).toString(36).slice(0, idLength);
}

async function rule(change: Change<Observation>): Promise<Ruling<Observation> | void> {
  const { operation, id, before, after, closed, now, store } = change;
  if (operation === "delete") return letGo(store, { id, data: after });
  if (operation === "close") return undefined;
  if (operation === "reopen") {
    await leaveNewer(store, { id, data: after });
    return { record: withoutEnd(after) };
  }
  const about = after.about && (await nameEntities(store, after.about));
  const { since = now, was: _was, supersededBy: _by, ...given } = after;
  const links = { ...(await supersede(change)), supersededBy: before?.data.supersededBy };
  // One that stays closed has ended when it did, whatever else is said of it now.
  const until = given.until ?? (closed ? before?.data.until : undefined);
  const record = { ...given, ...definedOnly({ ...links, until }), ...(about && { about }) };
  return { record: { ...record, since: new Date(since).toISOString() } };
}

/** Their names as they were given first. Those that are not there are made, and those that were forgotten are known again. */
async function nameEntities(store: Store, names: readonly string[]): Promise<string[]> {
  const known = new Map<string, string>();
  for (const name of names) {
    const id = entityId(name);
    if (known.has(id)) continue;
    const found = await ensureRecord(store, entityRecord, { id, record: { name } });
    known.set(id, found?.data.name ?? name);
  }
  return [...known.values()];
}

/** Closes what this one supersedes, and keeps the beginning of it, so that whoever reads the one need not read the other. */
async function supersede({ id, before, after, closed, store }: Change<Observation>): Promise<Pick<Observation, "was">> {
  const { supersedes: old } = after;
  if (before !== undefined) {
    if (before.data.supersedes === old) return { was: before.data.was };
    await leaveOlder(store, before);
  }
  if (old === undefined) return {};
  // What holds would end, with nothing that holds in its place; and where that came after this one, each would have ended the other.
  if (closed) {
    throw new ToolError(
      "conflict",
      `supersedes: ${id} is closed, and what no longer holds supersedes nothing`,
      `Reopen it first, or remember its text anew with supersedes: ${old}.`,
    );
  }
  const found = old === id ? undefined : await store.get(observation, old);
  if (found === undefined) {
    throw new ToolError("not_found", `supersedes: there is no other observation ${old}`, "memory_recall answers ids.");
  }
  if (found.data.supersededBy !== undefined && found.data.supersededBy !== id) {
    const { supersededBy } = found.data;
    throw new ToolError("conflict", `supersedes: ${old} is superseded by ${supersededBy}`, "Supersede that one.");
  }
  await store.put(observation, { supersededBy: id }, { id: old, patch: true });
  await store.close(observation, old);
  return { was: cutText(found.data.text, maxPreviousLength) };
}

interface Linked {
  readonly id: string;
  readonly data: Pick<Observation, "supersedes" | "supersededBy">;
}

/** What is deleted for good is quoted and counted nowhere else. Rules that delete observations call it too, in whose store no rules run. */
export async function letGo(store: Store, one: Linked): Promise<void> {
  await leaveNewer(store, one);
  await leaveOlder(store, one);
  await store.delete(recallCount, one.id);
}

/** The one that superseded it does so no longer, and quotes it no more. */
async function leaveNewer(store: Store, { id, data: { supersededBy } }: Linked): Promise<void> {
  const newer = supersededBy === undefined ? undefined : await store.get(observation, supersededBy);
  if (newer?.data.supersedes !== id) return;
  await store.put(observation, { was: null, supersedes: null }, { id: newer.id, patch: true });
}

/** The one that it superseded is superseded by nothing. It stays history. */
async function leaveOlder(store: Store, { id, data: { supersedes } }: Linked): Promise<void> {
  const older = supersedes === undefined ? undefined : await store.get(observation, supersedes);
  if (older?.data.supersededBy !== id) return;
  await store.put(observation, { supersededBy: null }, { id: older.id, patch: true });
}

function withoutEnd({ until: _until, note: _note, supersededBy: _by, ...record }: Observation): Observation {
  return record;
}
