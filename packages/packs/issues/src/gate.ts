import { closest, ToolError } from "@toolpacks/core";
import { deadlineOf, gateTime, isClosed, isGate, utc, type Holding, type Issue } from "./issue-record.ts";

/** What every gate may wait for. An imported gate keeps another type, and waits until it is closed. */
const awaitTypes = ["human", "timer", "issue"] as const;

const ownFields = ["await_type", "await_id", "await_until", "deadline"] as const;

interface GateChange {
  /** Undefined if the issue is new. */
  readonly before: Issue | undefined;
  readonly after: Issue;
  /** ISO 8601 in UTC. */
  readonly now: string;
  /** What gates may wait for besides, and something else than the tracker closes. */
  readonly gates: readonly string[];
  readonly get: (id: string) => Promise<Issue | undefined>;
}

/**
 * Checks the gate fields of a changed issue, and completes them: a gate waits for a person unless it says otherwise.
 *
 * @throws ToolError `invalid_input` for a gate that can never open, and for the fields of gates in another issue
 */
export async function checkGate(change: GateChange): Promise<Issue> {
  const { before, after } = change;
  if (!isGate(after)) {
    const field = ownFields.find((name) => after[name] !== undefined && before?.[name] === undefined);
    if (field === undefined) return after;
    throw invalid(field, "only a gate has it", 'A gate has the issue_type "gate".');
  }
  const isSame = before !== undefined && isGate(before) && ownFields.every((name) => before[name] === after[name]);
  if (isClosed(after) || isSame) return after;
  const gate = { ...after, await_type: after.await_type ?? "human" };
  const { await_type: type, await_id: id } = gate;
  const known = [...awaitTypes, ...change.gates];
  if (!known.includes(type)) throw unknownType(type, known);
  checkTimes(type, gate, change.now);
  if (type === "issue") await checkAwaited(id, change);
  else if (change.gates.includes(type) && id === undefined)
    throw invalid("await_id", `required: which ${type} it waits for`);
  return gate;
}

function checkTimes(type: string, { await_until, deadline }: Issue, now: string): void {
  if (type === "timer") {
    if (await_until === undefined) throw invalid("await_until", "required for a gate that waits for a time");
    if (utc(await_until) <= now) throw invalid("await_until", `${await_until} is in the past`);
    if (deadline !== undefined) throw invalid("deadline", "a gate that waits for a time has none");
    return;
  }
  if (await_until !== undefined) throw invalid("await_until", `only of await_type timer, received ${type}`);
  if (deadline !== undefined && utc(deadline) <= now) throw invalid("deadline", `${deadline} is in the past`);
}

async function checkAwaited(id: string | undefined, { get }: GateChange): Promise<void> {
  if (id === undefined) throw invalid("await_id", "required: the id of the issue that it waits for");
  const awaited = await get(id);
  if (awaited === undefined) throw invalid("await_id", `there is no issue with the id ${JSON.stringify(id)}`);
  if (isClosed(awaited)) throw invalid("await_id", `${id} is closed already`);
}

function unknownType(type: string, known: readonly string[]): ToolError {
  const near = closest(type, known);
  const suggestion = near === undefined ? "" : `, did you mean ${near}?`;
  const expected = `expected one of ${known.join(", ")}, received ${JSON.stringify(type)}${suggestion}`;
  return invalid("await_type", expected);
}

function invalid(field: string, problem: string, hint?: string): ToolError {
  return new ToolError("invalid_input", `${field}: ${problem}`, hint);
}

/** What of a gate says for what it waits. */
export type Gate = Holding & Partial<Pick<Issue, "await_id" | "deadline">>;

/** Describes for what a gate waits, such as `for a person until 2027-01-31T09:00:00Z`. */
export function describeWait(gate: Gate, now: string): string {
  const { await_type: type = "human", await_id: id } = gate;
  const until = gate.await_until ?? gateTime(gate);
  const deadline = deadlineOf(gate);
  const texts: Readonly<Record<string, string>> = {
    human: id === undefined ? "for a person" : `for ${id}`,
    timer: `until ${until ?? "it is closed"}`,
    issue: `for ${id ?? "an issue"}`,
  };
  const what = texts[type] ?? `for ${type}${id === undefined ? "" : ` ${id}`}`;
  if (deadline === undefined) return what;
  return utc(deadline) > now ? `${what}, deadline ${deadline}` : `${what}, deadline ${deadline} missed`;
}
