import { createHash } from "node:crypto";
import {
  quoteName,
  ToolError,
  type Change,
  type Kind,
  type Ruling,
  type Store,
  type Stored,
  defineKind,
} from "@toolpacks/core";
import { maxIdLength } from "@toolpacks/store";
import { z } from "zod";
import { entityId, entityRecord } from "./entity-record.ts";
import { cutText } from "../cut-text.ts";
import { episode, episodePart } from "../episodes/episode.ts";
import { ensureRecord } from "../ensure-record.ts";

const text = (maxLength: number) => z.string().min(1).max(maxLength);
const readOnly = (description: string) => ({ description, readOnly: true });

const schema = () =>
  z.object({
    text: text(1_000_000),
    about: z.array(text(200)).max(50).optional().describe("names of entities; new ones are made"),
    tags: z.array(text(200)).max(50).optional(),
    source: text(2_000).optional().describe("where it is known from"),
    episode: text(40).optional().describe("the id of the session, or of its part, that it is known from"),
    supersedes: text(maxIdLength).optional().describe("the id of the observation that is no longer true"),
    since: z.iso.datetime({ offset: true }).optional().describe("default: now"),
    written: z.string().max(40).optional().meta(readOnly("set: when it was first written")),
    until: z.string().max(40).optional().meta(readOnly("set by closing")),
    note: z.string().max(10_000).optional().meta(readOnly("set by closing: why")),
    supersededBy: z.string().max(maxIdLength).optional().meta(readOnly("set when another supersedes it")),
    was: z.string().max(400).optional().meta(readOnly("set: the beginning of what it supersedes")),
  });

export type Observation = z.output<ReturnType<typeof schema>>;
export type StoredObservation = Stored<Observation>;

/** For `everyRecord`: a small page, because an observation may have a million characters. */
export const observationPageSize = 100;
const maxPreviousLength = 200;
/** 16 characters in base 36 are 82 bits. */
const idLength = 16;

/**
 * The observation kind: one known fact, as a sentence or a text. An observation that supersedes another one closes it, and both stay stored as
 * history. Open observations are the current knowledge.
 */
export const observation: Kind<ReturnType<typeof schema>> = defineKind({
  name: "observation",
  description: "One thing that is known, about entities or in general.",
  schema,
  indexes: ["about", "tags", "since", "until"],
  text: ["text", "about", "tags"],
  meaning: ["text"],
  summary: ["text", "about", "tags", "since", "until", "was", "episode", "supersedes", "supersededBy"],
  close: (_record, { now, note }) => ({ until: now, note }),
  newId,
  rule,
  derived: [],
  keywords: ["fact", "knowledge", "memory", "remember", "preference"],
  examples: [{ text: "Deploys freeze on Fridays.", about: ["billing-api"], source: "runbook" }],
});

/** Finds the open observation with the same text about the same entities, and its id; if there is none, the id for a new one. */
export async function sameObservation(
  store: Store,
  record: Pick<Observation, "text" | "about">,
): Promise<{ readonly id: string; readonly known: StoredObservation | undefined }> {
  const digest = observationDigest(record);
  for (let times = 1; ; times += 1) {
    const id = times === 1 ? digest : `${digest}.${times}`;
    const known = await store.get(observation, id);
    if (known === undefined) return { id, known };
    // A closed observation is history. An edited one has another text.
    if (!known.closed && observationDigest(known.data) === digest) return { id, known };
  }
}

async function newId(record: Observation, store: Store): Promise<string> {
  const { id, known } = await sameObservation(store, record);
  if (known === undefined) return id;
  throw new ToolError("conflict", `text: this is known already, as ${id}`, "Patch that one, or supersede it.");
}

/**
 * The digest of a text and its entities. Case, spaces and a final full stop are ignored. Nothing else is: two facts may differ in one sign or one
 * word ending.
 */
function observationDigest({ text, about = [] }: Pick<Observation, "text" | "about">): string {
  const folded = text.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
  const parts = [folded, about.map(entityId).toSorted()];
  const hash = createHash("sha256").update(JSON.stringify(parts)).digest("hex");
  return BigInt(`0x${hash}`).toString(36).slice(0, idLength);
}

async function rule(change: Change<Observation>): Promise<Ruling<Observation> | void> {
  const { operation, id, before, after, closed, restores, now, store } = change;
  if (operation === "delete") return unlinkObservation(store, { id, data: after });
  if (restores) return requireRemembered(change);
  if (operation === "close") return undefined;
  if (operation === "reopen") {
    await unlinkNewer(store, { id, data: after });
    return { record: withoutEnd(after) };
  }
  if (after.episode !== undefined && after.episode !== before?.data.episode) await requireEpisode(store, after.episode);
  const about = after.about && (await nameEntities(store, after.about));
  const { since = now, was: _was, supersededBy: _by, written: _written, ...fields } = after;
  // Records of earlier versions have no time of writing.
  const written = before === undefined ? now : before.data.written;
  const links = { ...(await supersede(change)), supersededBy: before?.data.supersededBy };
  // A closed observation that stays closed keeps its end time.
  const until = fields.until ?? (closed ? before?.data.until : undefined);
  return { record: { ...fields, ...links, about, until, written, since: new Date(since).toISOString() } };
}

/** @throws ToolError `conflict` if a fact that an undo makes current again is about one entity, which was forgotten */
async function requireRemembered({ before, after, closed, store }: Change<Observation>): Promise<void> {
  const [name, ...others] = after.about ?? [];
  const wasAbout = before?.closed === false ? before.data.about : undefined;
  if (name === undefined || others.length > 0 || closed || wasAbout?.join() === name) return;
  const found = await store.get(entityRecord, entityId(name));
  if (found?.closed !== false) throw new ToolError("conflict", `about: ${quoteName(name)} was forgotten`);
}

/** @throws ToolError `not_found` if an id is neither an episode's nor a part's */
async function requireEpisode(store: Store, id: string): Promise<void> {
  if ((await store.get(id.includes(".") ? episodePart : episode, id)) !== undefined) return;
  throw new ToolError(
    "not_found",
    `episode: there is no episode ${quoteName(id)}`,
    "memory_recall answers ids of parts of episodes; toolpacks import --transcript makes them.",
  );
}

/** The stored names of entities. Creates missing entities and reopens closed ones. */
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

/** Closes the superseded observation. The new one keeps the beginning of its text, so that a reader need not load it. */
async function supersede(change: Change<Observation>): Promise<Pick<Observation, "was">> {
  const { id, before, after, closed, now, store } = change;
  const { supersedes: old } = after;
  if (before !== undefined) {
    if (before.data.supersedes === old) return { was: before.data.was };
    await unlinkOlder(store, before);
  }
  if (old === undefined) return {};
  // Otherwise a current fact would be closed with no current fact in its place, and two observations could supersede each other.
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
  const until = endOfSuperseded(found.data, after.since, now);
  if (until !== undefined) await store.put(observation, { until }, { id: old, patch: true });
  return { was: cutText(found.data.text, maxPreviousLength) };
}

/** The past time from which the newer observation holds, if the older one held before it. Undefined: the older one ends now. */
function endOfSuperseded(old: Observation, since: string | undefined, now: string): string | undefined {
  if (since === undefined || old.until !== undefined) return undefined;
  const start = new Date(since).toISOString();
  return start < now && start > (old.since ?? start) ? start : undefined;
}

interface Linked {
  readonly id: string;
  readonly data: Pick<Observation, "supersedes" | "supersededBy">;
}

/** Removes the links and quotes of an observation before its deletion. Rules of other kinds call it: their store runs no rules. */
export async function unlinkObservation(store: Store, one: Linked): Promise<void> {
  await unlinkNewer(store, one);
  await unlinkOlder(store, one);
}

/** Removes the link and the quote from the observation that superseded this one. */
async function unlinkNewer(store: Store, { id, data: { supersededBy } }: Linked): Promise<void> {
  const newer = supersededBy === undefined ? undefined : await store.get(observation, supersededBy);
  if (newer?.data.supersedes !== id) return;
  await store.put(observation, { was: null, supersedes: null }, { id: newer.id, patch: true });
}

/** Removes the link from the observation that this one superseded. That observation stays closed. */
async function unlinkOlder(store: Store, { id, data: { supersedes } }: Linked): Promise<void> {
  const older = supersedes === undefined ? undefined : await store.get(observation, supersedes);
  if (older?.data.supersededBy !== id) return;
  await store.put(observation, { supersededBy: null }, { id: older.id, patch: true });
}

function withoutEnd({ until: _until, note: _note, supersededBy: _by, ...record }: Observation): Observation {
  return record;
}
