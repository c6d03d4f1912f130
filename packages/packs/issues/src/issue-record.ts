import { isObject, jsonValue } from "@toolpacks/core";
import { z } from "zod";

/** The statuses of the life cycle. Imported issues keep other statuses. */
export const statuses = ["open", "in_progress", "blocked", "deferred", "closed"] as const;

/** The status of a deleted issue in beads' files. */
export const tombstone = "tombstone";

export type Status = (typeof statuses)[number];

/** The schema of the fields that the tracker derives. */
function createGraphSchema() {
  return z
    .object({
      state: z.string().describe("ready, working, blocked, deferred, waiting, aside, closed or other"),
      from: z.string().describe("ready or working from this time on; empty: at once"),
      blockers: z.array(z.string()).describe("open issues that block it"),
      blockerCount: z.int().describe("how many open issues block it"),
      blockedCount: z.int().describe("how many open issues it blocks"),
      under: z.array(z.string()).describe("ancestors that hold it back"),
      on: z.array(z.string()).describe("every issue that it depends on"),
      parents: z.array(z.string()),
      until: z.string().optional().describe("timer gates hold it back until then"),
      waits: z.array(z.string()).optional().describe("issues whose children it waits for"),
      dependents: z.int().describe("how many issues depend on it"),
      age: z.int().describe("grows with each new issue"),
      updated: z.string().describe("updated_at in UTC"),
      closed: z.string().describe("closed_at in UTC; empty while open"),
      found: z.record(z.string(), z.unknown()).optional().describe("imported fields that no record can hold"),
      absent: z.array(z.string()).optional().describe("fields that an imported issue lacked, set to their defaults"),
    })
    .describe("kept by the tracker, whatever is put");
}

interface Fields {
  readonly name: z.ZodString;
  readonly moment: z.ZodString;
}

function createDependencySchema({ name, moment }: Fields) {
  return z.looseObject({
    depends_on_id: name,
    type: name
      .default("blocks")
      .describe("blocks, parent-child, waits-for, conditional-blocks, related, discovered-from, or another"),
    metadata: z
      .unknown()
      .optional()
      .describe(
        'of waits-for: {"gate": "any-children"} waits until one child is closed, not all; an object or its JSON',
      ),
    issue_id: name.optional().describe("set by the tracker"),
    created_at: moment.optional().describe("set by the tracker"),
    created_by: z.string().max(200).optional(),
  });
}

function createGateFields({ moment }: Pick<Fields, "moment">) {
  return {
    await_type: z
      .string()
      .max(40)
      .optional()
      .describe("of a gate: human (the default), timer, issue, or a configured one"),
    await_id: z.string().max(250).optional().describe("of a gate: the person or the issue that it waits for"),
    await_until: moment.optional().describe("of a timer gate: when it ends"),
    deadline: moment.optional().describe("of a gate: when it was waited for too long; it goes on holding"),
  };
}

/** Created at the first use, so that a server starts faster. */
function createIssueSchema() {
  const longText = 500_000;
  const text = z.string().max(longText);
  const name = z.string().min(1).max(200);
  const moment = z
    .string()
    .max(64)
    .refine((time) => !Number.isNaN(Date.parse(time)), { error: "expected an ISO 8601 time: 2027-01-31T09:00:00Z" });

  const commentSchema = z.looseObject({
    id: z.union([z.string().max(200), z.number()]).optional(),
    issue_id: name.optional(),
    author: z.string().max(200).optional(),
    text,
    created_at: moment.optional(),
  });

  return z.looseObject({
    title: z.string().min(1).max(500),
    description: text.optional(),
    design: text.optional(),
    acceptance_criteria: text.optional(),
    notes: text.optional(),
    status: z
      .string()
      .min(1)
      .max(40)
      .default("open")
      .describe(`${statuses.join(", ")}; imported issues keep others`),
    priority: z.int().min(0).max(4).default(2).describe("0 first, 4 last"),
    issue_type: z.string().min(1).max(40).default("task").describe("bug, feature, task, epic, chore, or another"),
    assignee: z.string().max(200).optional(),
    labels: z.array(name).max(200).optional(),
    external_ref: z.string().max(250).optional(),
    estimated_minutes: z.number().min(0).max(10_000_000).optional(),
    defer_until: moment.optional().describe("not ready before this time"),
    pinned: z.boolean().optional().describe("kept in view, never ready"),
    ephemeral: z.boolean().optional().describe("never ready"),
    created_at: moment.optional(),
    created_by: z.string().max(200).optional(),
    updated_at: moment.optional(),
    closed_at: moment.optional(),
    close_reason: text.optional(),
    lease_until: moment.optional().describe("until when the assignee's claim holds"),
    ...createGateFields({ moment }),
    dependencies: z.array(createDependencySchema({ name, moment })).max(5_000).optional(),
    comments: z.array(commentSchema).max(10_000).optional(),
    graph: createGraphSchema().optional(),
  });
}

let schema: ReturnType<typeof createIssueSchema> | undefined;

/** The schema of a stored issue, with beads' field names. Unknown fields are kept. */
export function issueSchema(): ReturnType<typeof createIssueSchema> {
  return (schema ??= createIssueSchema());
}

export type Issue = z.output<ReturnType<typeof issueSchema>>;
export type Dependency = NonNullable<Issue["dependencies"]>[number];
/** Fields that the tracker derives from an issue and its neighbours. Queries filter and sort by them. */
export type Graph = NonNullable<Issue["graph"]>;

/** Whether an issue is closed, or deleted in beads. Such an issue blocks nothing. */
export function isClosed({ status }: Pick<Issue, "status">): boolean {
  return status === "closed" || status === tombstone;
}

/** What of an issue decides whether it holds back those that wait for it. */
export type Holding = Pick<Issue, "status"> &
  Partial<Pick<Issue, "issue_type" | "await_type" | "await_until" | "created_at">> & { readonly timeout?: unknown };

/**
 * Whether an issue holds back those that wait for it until it changes. A closed one does not, nor one with beads' status `pinned`, which is no work. A
 * timer gate does so until a time (`gateTime`).
 */
export function holdsBack(issue: Holding): boolean {
  return !isClosed(issue) && issue.status !== "pinned" && gateTime(issue) === undefined;
}

/** Whether an issue is a gate: it is not work, and holds back what depends on it until something outside happens. */
export function isGate({ issue_type }: Holding): boolean {
  return issue_type === "gate";
}

/** The time from which an open timer gate holds nothing back, in UTC. Undefined: the issue is no such gate. */
export function gateTime(issue: Holding): string | undefined {
  const isTimer = !isClosed(issue) && isGate(issue) && issue.await_type === "timer";
  const time = isTimer ? (issue.await_until ?? timeoutEnd(issue)) : undefined;
  return time === undefined ? undefined : utc(time);
}

/** The time until which an open gate should be closed, in UTC. Undefined: it has no deadline. */
export function deadlineOf(gate: Holding & Partial<Pick<Issue, "deadline">>): string | undefined {
  return gate.deadline ?? (gate.await_type === "timer" ? undefined : timeoutEnd(gate));
}

const nanosecondsPerMs = 1e6;
/** The last time that a `Date` can hold, in ms. */
const maxTime = 8.64e15;

/** The end of beads' `timeout` of a gate, in nanoseconds from its creation. */
function timeoutEnd({ created_at: start, timeout }: Holding): string | undefined {
  if (start === undefined || typeof timeout !== "number" || !(timeout > 0)) return undefined;
  const end = Date.parse(start) + timeout / nanosecondsPerMs;
  return Math.abs(end) <= maxTime ? new Date(end).toISOString() : undefined;
}

/** The id of the issue for which an open gate waits. Undefined: it waits for something else, or is no gate. */
export function awaitedIssue(issue: Holding & Pick<Issue, "await_id">): string | undefined {
  return !isClosed(issue) && isGate(issue) && issue.await_type === "issue" ? issue.await_id : undefined;
}

/** The types of dependencies by which an open issue blocks. As in beads, a conditional one does so until the issue is closed, for any reason. */
export const blockingTypes: readonly string[] = ["blocks", "conditional-blocks"];

/** The unique ids that an issue depends on, of some types or of all types. */
export function dependsOn(
  { dependencies = [] }: Pick<Issue, "dependencies">,
  ...types: readonly string[]
): readonly string[] {
  const wanted = types.length === 0 ? dependencies : dependencies.filter((one) => types.includes(one.type));
  return [...new Set(wanted.map(({ depends_on_id: id }) => id))];
}

/** A dependency on the children of an issue. */
export interface Wait {
  /** The id of the parent of these children. */
  readonly on: string;
  /** Whether it ends when one child is closed. Otherwise it ends when no child is open. */
  readonly any: boolean;
}

/** The `waits-for` dependencies of an issue, one for each parent of the children. */
export function waitsOf({ dependencies = [] }: Pick<Issue, "dependencies">): readonly Wait[] {
  const waits = new Map<string, Wait>();
  for (const { depends_on_id: on, type, metadata } of dependencies) {
    if (type === "waits-for") waits.set(on, { on, any: endsWithAny(metadata) });
  }
  return [...waits.values()];
}

/** Reads `{"gate": "any-children"}`, an object or its JSON as beads writes it. Anything else waits for all children. */
function endsWithAny(metadata: unknown): boolean {
  const read = typeof metadata === "string" ? jsonValue(metadata) : metadata;
  return isObject(read) && read["gate"] === "any-children";
}

/** A time in UTC with milliseconds, so that times sort as strings. Empty for none. */
export function utc(time: string | undefined): string {
  if (time === undefined) return "";
  const parsed = Date.parse(time);
  return Number.isNaN(parsed) ? "" : new Date(parsed).toISOString();
}

/** A time without fractions of a second, for texts. */
export function withoutFraction(time: string): string {
  return time.replace(/(:\d\d)\.\d+/, "$1");
}
