import { defineKind, ToolError, type Change, type Kind, type Ruling, type Store } from "@toolpacks/core";
import { z } from "zod";

const schema = () =>
  z.object({
    name: z.string().min(1).max(200),
    memory: z.string().min(1).max(100_000).describe("what has happened, and what was learned"),
    goal: z.string().min(1).max(10_000),
    next: z.array(z.string().min(1).max(2_000)).max(100).optional().describe("next steps, first one first"),
    files: z.array(z.string().min(1).max(1_000)).max(500).optional(),
    session: z.string().min(1).max(200).optional(),
    automatic: z.boolean().optional().describe("saved by a hook of the client, not by an agent"),
    saved: z.iso.datetime().optional().meta({ description: "set: when", readOnly: true }),
    archived: z.string().max(40).optional().meta({ description: "set by closing: when", readOnly: true }),
    note: z.string().max(10_000).optional().meta({ description: "set by closing: why", readOnly: true }),
  });

export type State = z.output<ReturnType<typeof schema>>;

/** The state kind: a snapshot of a session. It never changes. Its name is its id, also after it is archived. Closing archives it. */
export const state: Kind<ReturnType<typeof schema>> = defineKind({
  name: "state",
  description: "A snapshot of a session: memory, goal, next steps, files. It never changes.",
  schema,
  indexes: ["session", "saved"],
  text: ["goal", "name", "memory", "next", "files"],
  meaning: ["goal", "next"],
  summary: ["name", "goal", "session", "saved", "archived"],
  close: (_record, { now, note }) => ({ archived: now, note }),
  newId,
  rule,
  keywords: ["snapshot", "checkpoint", "session", "resume", "handover"],
  examples: [
    { name: "before-migration", memory: "The schema is agreed.", goal: "Move billing to v2", next: ["dry run"] },
  ],
});

async function newId({ name }: State, store: Store): Promise<string> {
  if ((await store.get(state, name)) === undefined) return name;
  throw taken(name);
}

function rule({ operation, id, before, after, now }: Change<State>): Ruling<State> | void {
  if (operation === "reopen") {
    const { archived: _archived, note: _note, ...record } = after;
    return { record };
  }
  if (operation !== "put") return undefined;
  if (before !== undefined) throw taken(after.name);
  if (id !== after.name) throw new ToolError("invalid_input", "id: a state's id is its name", "Put it without an id.");
  return { record: { ...after, saved: now } };
}

function taken(name: string): ToolError {
  return new ToolError(
    "conflict",
    `name: there is a state ${JSON.stringify(name)} already, and states never change`,
    "Save it under a new name.",
  );
}
