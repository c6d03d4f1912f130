import { createHash } from "node:crypto";
import { isObject, ToolError, type Filter, type Kind, type Store, type Stored } from "@toolpacks/core";
import type { z } from "zod";
import { objectSchema } from "../definition/shorthand.ts";
import type { TriggerSource, WorkflowSource } from "../definition/workflow-source.ts";
import type { ClockOptions } from "./clock-options.ts";
import { triggerKind, wakeupKind } from "./wakeup-kind.ts";

type TriggerState = Stored<z.output<typeof triggerKind.schema>>;

/** A trigger of a workflow. */
interface Trigger {
  /** The same in every process, until the definition changes. */
  readonly id: string;
  readonly workflow: string;
  readonly source: TriggerSource;
  /** The input of a run that an event starts, as JSON. */
  readonly input: (event: object) => string;
}

/** Maximum number of missed times of a schedule for which runs start, such as after a night without a server. Earlier ones are passed over. */
const maxMissed = 100;
/** Maximum number of changes that are read at once. */
const maxChanges = 100;

/**
 * Returns a function that writes the runs to start: at the times of schedules, and after changes of records. It resolves to the next time of a schedule, in
 * ms; Infinity if there is none.
 */
export function createTriggers({ store, sources, kinds, onError }: ClockOptions): () => Promise<number> {
  const triggers = Object.entries(sources).flatMap(([name, source]) => triggersOf(name, source));
  /** Generations up to which no change matches, by trigger. They need not be stored. */
  const read = new Map<string, number>();
  const reported = new Set<string>();

  async function fireOne(trigger: Trigger): Promise<number> {
    const state = (await store.get(triggerKind, trigger.id)) ?? (await begin(store, trigger));
    if (trigger.source.kind === undefined) return fireTimes(store, trigger, state);
    const kind = kinds().find(({ name }) => name === trigger.source.kind);
    if (kind === undefined)
      throw new ToolError("not_found", `no pack keeps records of the kind ${trigger.source.kind}`);
    read.set(trigger.id, await fireChanges(store, { trigger, state, kind, since: read.get(trigger.id) ?? 0 }));
    return Infinity;
  }

  return async () => {
    let next = Infinity;
    for (const trigger of triggers) {
      try {
        next = Math.min(next, await fireOne(trigger));
      } catch (error) {
        const code = ToolError.is(error) ? error.code : undefined;
        if (code === "unavailable") throw error;
        // Another process has fired it.
        if (code === "conflict") next = Date.now();
        else if (!reported.has(trigger.id)) onError(`workflows.${trigger.workflow}.on cannot be used`, error);
        if (code !== "conflict") reported.add(trigger.id);
      }
    }
    return next;
  };
}

function triggersOf(workflow: string, source: WorkflowSource): readonly Trigger[] {
  return (source.on ?? []).map((on) => {
    const id = createHash("sha256")
      .update(JSON.stringify([workflow, on]))
      .digest("hex")
      .slice(0, 32);
    const takesEvent = hasEvent(workflow, source);
    return {
      id,
      workflow,
      source: on,
      input: (event) => JSON.stringify({ ...on.input, ...(takesEvent && { event }) }),
    };
  });
}

/** Whether the workflow's input may have the field `event`. */
function hasEvent(workflow: string, { input }: WorkflowSource): boolean {
  if (input === undefined) return true;
  const { properties } = objectSchema(input, `workflows.${workflow}.input`);
  return isObject(properties) && "event" in properties;
}

/** Writes the first state of a trigger: what was before starts no run. */
async function begin(store: Store, { id, workflow, source }: Trigger): Promise<TriggerState> {
  const due = await dueAfter(source, new Date(Date.now()).toISOString());
  const state = source.kind === undefined ? { due } : { readUntil: await store.generation() };
  return store.put(triggerKind, { workflow, ...state }, { id, ifGeneration: 0 });
}

async function dueAfter({ at, ...schedule }: TriggerSource, after: string): Promise<string | undefined> {
  if (at === undefined) return undefined;
  const { nextTime } = await import("./recurrence.ts");
  return nextTime({ at, ...schedule }, after);
}

async function fireTimes(
  store: Store,
  trigger: Trigger,
  { id, data: { due: first }, generation }: TriggerState,
): Promise<number> {
  const now = Date.now();
  const isDue = (time: string | undefined): time is string => time !== undefined && Date.parse(time) <= now;
  if (!isDue(first)) return first === undefined ? Infinity : Date.parse(first);
  const times: string[] = [];
  let due: string | undefined = first;
  for (; isDue(due) && times.length < 10 * maxMissed; due = await dueAfter(trigger.source, due)) times.push(due);
  if (isDue(due)) due = await dueAfter(trigger.source, new Date(now).toISOString());
  const next = due;
  await store.transaction(async (inside) => {
    await inside.put(triggerKind, { due: next ?? null }, { id, patch: true, ifGeneration: generation });
    for (const time of times.slice(-maxMissed)) await writeStart(inside, trigger, { key: time, event: { time } });
  });
  return next === undefined ? Infinity : Date.parse(next);
}

interface Changes {
  readonly trigger: Trigger;
  readonly state: TriggerState;
  readonly kind: Kind;
  readonly since: number;
}

/** Returns the generation up to which the changes were read. */
async function fireChanges(store: Store, { trigger, state, kind, since }: Changes): Promise<number> {
  const sinceGeneration = Math.max(since, state.data.readUntil ?? 0);
  const filter = (trigger.source.filter ?? {}) as Filter;
  const query = { sinceGeneration, filter, includeClosed: true, limit: maxChanges, skipDamaged: true };
  const { items, cursor, generation } = await store.query(kind, query);
  const readUntil = cursor === undefined ? generation : (items.at(-1)?.generation ?? generation);
  if (items.length === 0) return readUntil;
  await store.transaction(async (inside) => {
    const { id, generation: expected } = state;
    await inside.put(triggerKind, { readUntil }, { id, patch: true, ifGeneration: expected });
    for (const { id: record, generation: changed, closed } of items) {
      const event = { kind: kind.name, id: record, generation: changed, closed };
      await writeStart(inside, trigger, { key: `${record} ${changed}`, event });
    }
  });
  return readUntil;
}

interface Start {
  /** Differs between the events of a trigger. */
  readonly key: string;
  readonly event: object;
}

async function writeStart(inside: Store, { id, workflow, input }: Trigger, { key, event }: Start): Promise<void> {
  const own = createHash("sha256").update(`${id} ${key}`).digest("hex").slice(0, 32);
  const start = { workflow, input: input(event), due: new Date(Date.now()).toISOString() };
  await inside.put(wakeupKind, start, { id: `start/${own}` });
}
