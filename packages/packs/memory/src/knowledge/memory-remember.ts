import {
  definedOnly,
  defineTool,
  detail,
  quoteName,
  ToolError,
  visibleText,
  type Store,
  type Tool,
} from "@toolpacks/core";
import { maxIdLength } from "@toolpacks/store";
import { z } from "zod";
import { cutText } from "../cut-text.ts";
import { ensureRecord } from "../ensure-record.ts";
import { entityName, entityNames, tags } from "../fields.ts";
import type { MemoryContext } from "../memory-context.ts";
import { entity } from "./entity.ts";
import { entityId } from "./entity-record.ts";
import { observation, sameObservation, type Observation, type StoredObservation } from "./observation.ts";
import { similarObservations } from "./similar-observations.ts";

const text = z.string().min(1).max(1_000_000);
const input = z.object({
  text: text.optional().meta(detail("what to remember")),
  entity: entityName.optional().describe("or a name, with"),
  type: z.string().min(1).max(200).optional().meta(detail("of the entity: person, service, …")),
  observations: z.array(text).max(100).optional().meta(detail("of the entity: one thing each")),
  about: entityNames.describe("entities"),
  tags: tags.meta(detail("rule: always told")),
  source: z.string().min(1).max(2_000).optional().meta(detail("where it is known from")),
  supersedes: z.string().min(1).max(maxIdLength).optional().describe("id"),
  episode: z.string().min(1).max(40).optional().meta(detail("the id of the session part that it is known from")),
});

const output = z.object({
  items: z.array(
    z.object({
      id: z.string(),
      text: z.string().describe("its beginning"),
      merged: z.boolean().optional().describe("it was known, and is the one with this id"),
      was: z.string().optional().describe("what it supersedes"),
      similar: z.array(z.object({ id: z.string(), text: z.string() })).optional(),
    }),
  ),
  entity: z.object({ name: z.string(), isNew: z.boolean() }).optional(),
  hint: z.string().optional(),
});

type Remembered = z.input<typeof output>["items"][number];
type Request = z.output<typeof input>;

/** `memory_remember`: stores texts and entities, and reports the ones that were known already. */
export function memoryRemember({ store }: MemoryContext): Tool {
  return defineTool({
    name: "memory_remember",
    description: "Remember a text, or an entity with observations.",
    keywords: [
      "save",
      "supersede",
      "no longer true",
      "correct",
      "changed",
      "store",
      "note",
      "fact",
      "learn",
      "add",
      "create entity",
      "knowledge graph",
      "preference",
    ],
    examples: [
      { say: "remember that Anna owns billing", args: { text: "Anna owns the billing API.", about: ["Anna"] } },
      { args: { entity: "billing-api", type: "service", observations: ["Written in Go."], tags: ["backend"] } },
    ],
    mutates: true,
    effects: { destructive: false, records: true },
    input,
    output,
    text: render,
    handler: async (request) => {
      if (request.text === undefined && request.entity === undefined) {
        throw new ToolError("invalid_input", "text: required, unless an entity is given", "Give text, or entity.");
      }
      return store.transaction((inside) => remember(inside, request));
    },
  });
}

async function remember(store: Store, request: Request): Promise<z.input<typeof output>> {
  const named = request.entity === undefined ? undefined : await rememberEntity(store, request.entity, request);
  const texts = [...(request.text === undefined ? [] : [request.text]), ...(request.observations ?? [])];
  if (request.supersedes !== undefined && texts.length !== 1) {
    throw new ToolError(
      "invalid_input",
      "supersedes: expected one text with it",
      "Remember the others in a call of their own.",
    );
  }
  const about = [...(named === undefined ? [] : [named.name]), ...(request.about ?? [])];
  const items: Remembered[] = [];
  for (const each of texts)
    items.push(await rememberText(store, each, { ...request, about, isNew: named?.isNew ?? false }));
  const hasSimilar = items.some(({ similar }) => similar !== undefined);
  return {
    items,
    entity: named,
    ...(hasSimilar && { hint: "Where a similar one no longer holds, remember the new text with supersedes: its id." }),
  };
}

async function rememberEntity(store: Store, name: string, { type, tags: tagged }: Request) {
  const id = entityId(name);
  const record = { name, type, tags: tagged };
  const before = await ensureRecord(store, entity, { id, record });
  if (before === undefined) return { name, isNew: true };
  const newType = type === before.data.type ? undefined : type;
  const patch = definedOnly({ type: newType, tags: union(before.data.tags, tagged) });
  if (Object.keys(patch).length > 0) await store.put(entity, patch, { id, patch: true });
  return { name: before.data.name, isNew: false };
}

interface RememberContext extends Omit<Request, "about"> {
  readonly about: readonly string[];
  /** Whether this call created the entity. A new entity has no similar observations. */
  readonly isNew: boolean;
}

async function rememberText(store: Store, whole: string, context: RememberContext): Promise<Remembered> {
  const { about, tags: tagged, source, supersedes, episode } = context;
  const shown = cutText(whole, 120);
  const { id, known: same } = await sameObservation(store, { text: whole, about: [...about] });
  if (same !== undefined) {
    const { was } = await merge(store, same, context);
    return { id, text: shown, merged: true, ...(supersedes !== undefined && was !== undefined && { was }) };
  }
  const named = about.length > 0 ? [...about] : undefined;
  const record = { text: whole, about: named, tags: tagged, source, supersedes, episode };
  const { data } = await store.put(observation, record, { id });
  const name = context.isNew || supersedes !== undefined ? undefined : data.about?.[0];
  const similar = name === undefined ? [] : await similarObservations(store, { text: whole, name }, id);
  return {
    id,
    text: shown,
    was: data.was,
    ...(similar.length > 0 && { similar: similar.map((one) => ({ id: one.id, text: cutText(one.text, 120) })) }),
  };
}

/** Merges the call's tags, source, episode and link into a known observation. Other fields stay unchanged. */
async function merge(
  store: Store,
  { id, data }: StoredObservation,
  { tags: tagged, source, supersedes, episode }: RememberContext,
): Promise<Observation> {
  const newLink = supersedes === data.supersedes ? undefined : supersedes;
  const patch = definedOnly({ tags: union(data.tags, tagged), source, supersedes: newLink, episode });
  if (Object.keys(patch).length === 0) return data;
  return (await store.put(observation, patch, { id, patch: true })).data;
}

/** The union of both tag lists. Undefined if it adds no tag. */
function union(before: readonly string[] = [], added: readonly string[] = []): string[] | undefined {
  const both = [...new Set([...before, ...added])];
  return both.length > before.length ? both : undefined;
}

function render({ items, entity: named, hint }: z.output<typeof output>): string {
  const lines = items.flatMap(({ id, text: shown, merged, was, similar = [] }) => [
    `${id} ${visibleText(shown)}${merged === true ? " (was known)" : ""}${was === undefined ? "" : ` (supersedes: ${visibleText(cutText(was, 80))})`}`,
    ...similar.map((one) => `  similar: ${one.id} ${visibleText(one.text)}`),
  ]);
  const head = named === undefined ? [] : [`entity ${quoteName(named.name)}${named.isNew ? ", new" : ""}`];
  return [...head, ...lines, ...(hint === undefined ? [] : [hint])].join("\n");
}
