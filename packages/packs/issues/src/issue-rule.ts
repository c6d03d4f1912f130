import { closest, ToolError, type Change, type Ruling } from "@toolpacks/core";
import { checkGate } from "./gate.ts";
import { createDraft, type Draft, type IssueKind } from "./graph/draft.ts";
import { findCycle, waitsFor } from "./graph/find-cycle.ts";
import { updateGraph } from "./graph/update-graph.ts";
import { dependsOn, isClosed, issueSchema, waitsOf, type Dependency, type Issue } from "./issue-record.ts";
import { advance, type StatusChange } from "./life-cycle.ts";

/**
 * The rule for every write of an issue. The status changes along an allowed transition. The dependencies exist and form no cycle. A parent is not closed
 * before its children. The derived fields of the issue and its neighbours are updated in the same transaction. An issue that is put back is as it was but for these.
 */
export async function issueRule(
  { kind, gates }: { readonly kind: IssueKind; readonly gates: readonly string[] },
  change: Change<Issue>,
): Promise<Ruling<Issue> | void> {
  const { id, operation, store, now } = change;
  const draft = createDraft(store, kind);
  const before = await draft.stored(id);
  const newAge = await ageFrom(store);
  if (operation === "delete") {
    draft.set(id, undefined);
    await updateGraph(draft, [id], { newAge });
    await writeNeighbours(change, draft, kind);
    return undefined;
  }
  const complete = change.restores ? change.after : await completed({ gates, draft, before }, change);
  const after = withGraph(complete, change.restores ? restoredGraph(complete, before) : before?.graph);
  draft.set(id, after);
  if (!change.restores) await checkDependencies(draft, { id, before, after });
  const closes = isClosed(after) && !(before !== undefined && isClosed(before));
  if (closes && !change.restores) await checkChildren(draft, id);
  const opened = closes ? await openGates(draft, id, now) : [];
  await updateGraph(draft, [id, ...opened], { newAge });
  const record = (await draft.get(id)) ?? after;
  const starts = record.status === "in_progress" && before?.status !== "in_progress";
  if (starts && !change.restores) checkStart(id, record);
  await writeNeighbours(change, draft, kind);
  return { record, closed: isClosed(record) };
}

interface Completion {
  readonly gates: readonly string[];
  readonly draft: Draft;
  /** Undefined if the issue is new. */
  readonly before: Issue | undefined;
}

/** An issue with the fields that depend on its status, its gate and the time. */
async function completed(
  { gates, draft, before }: Completion,
  { id, operation, now, after }: Change<Issue>,
): Promise<Issue> {
  const proposed: Issue = operation === "reopen" ? { ...after, status: "open" } : after;
  checkFields(before, proposed);
  const advanced = advance({ id, before, after: proposed, now });
  const gate = await checkGate({ before, after: advanced, now, gates, get: (one) => draft.get(one) });
  return withDependencies(id, gate, now);
}

/** Closes the gates that wait for a closed issue, and those that wait for these gates. Returns their ids. */
async function openGates(draft: Draft, closed: string, now: string): Promise<readonly string[]> {
  const opened: string[] = [];
  const pending = [closed];
  for (const id of pending) {
    for (const gate of await draft.gates(id)) {
      const issue = await draft.get(gate);
      if (issue === undefined || isClosed(issue)) continue;
      draft.set(gate, { ...issue, status: "closed", closed_at: now, updated_at: now, close_reason: `${id} is closed` });
      opened.push(gate);
      pending.push(gate);
    }
  }
  return opened;
}

function checkFields(before: Issue | undefined, after: Issue): void {
  const knownFields = Object.keys(issueSchema().shape);
  const unknownField = Object.keys(after).find(
    (name) => !knownFields.includes(name) && !Object.hasOwn(before ?? {}, name),
  );
  if (unknownField === undefined) return;
  const near = closest(unknownField, knownFields);
  throw new ToolError(
    "invalid_input",
    `${unknownField}: unknown field${near === undefined ? "" : `, did you mean ${near}?`} (accepted: ${knownFields.join(", ")})`,
    "A parent or another dependency is set by issue_depend.",
  );
}

/** Returns a function that creates ages. Ages follow the store's generation, so that a new issue is always younger. */
export async function ageFrom(store: Change["store"]): Promise<() => number> {
  let age = await store.generation();
  return () => (age += 1);
}

/** Keeps the stored graph. A graph from the caller is ignored: only the tracker sets it. */
function withGraph({ graph: _given, ...issue }: Issue, graph: Issue["graph"]): Issue {
  return graph === undefined ? issue : { ...issue, graph };
}

/** The graph to start from where an issue is put back: that of now, with what its import had found. */
function restoredGraph({ graph: old }: Issue, before: Issue | undefined): Issue["graph"] {
  const graph = before?.graph ?? old;
  return graph && { ...graph, found: old?.found, absent: old?.absent };
}

/** Completes the dependencies with the issue's id and a creation time, as beads writes them. */
function withDependencies(id: string, issue: Issue, now: string): Issue {
  if (issue.dependencies === undefined) return issue;
  const complete = ({ depends_on_id, type, created_at = now, ...rest }: Dependency): Dependency => ({
    ...rest,
    issue_id: id,
    depends_on_id,
    type,
    created_at,
  });
  return { ...issue, dependencies: issue.dependencies.map(complete) };
}

async function checkDependencies(draft: Draft, { id, before, after }: Omit<StatusChange, "now">): Promise<void> {
  const { dependencies = [] } = after;
  const seen = new Set<string>();
  const known = new Set(before === undefined ? [] : dependsOn(before));
  for (const { depends_on_id: target, type } of dependencies) {
    const key = JSON.stringify([target, type]);
    if (seen.has(key)) throw new ToolError("invalid_input", `dependencies: ${type} ${target} is given twice`);
    seen.add(key);
    if (target === id) throw new ToolError("invalid_input", `dependencies: ${id} cannot depend on itself`);
    if (known.has(target) || (await draft.get(target)) !== undefined) continue;
    throw new ToolError(
      "not_found",
      `dependencies: there is no issue with the id ${JSON.stringify(target)}`,
      "Find ids with issue_list.",
    );
  }
  const was = new Set(before === undefined ? [] : held(before));
  if (held(after).every((target) => was.has(target))) return;
  const cycle = await findCycle(id, draft);
  if (cycle !== undefined) throw cycleError(cycle);
}

/** What holds an issue back, as texts to compare. */
function held(issue: Issue): readonly string[] {
  return [...waitsFor(issue), ...waitsOf(issue).map((wait) => JSON.stringify(wait))];
}

/** The error for a cycle. An issue in a cycle would wait for itself. */
function cycleError(cycle: readonly string[]): ToolError {
  return new ToolError(
    "conflict",
    `dependencies: a cycle: ${cycle.join(" -> ")}`,
    "Remove one of these with issue_depend, or relate them with type related.",
  );
}

async function checkChildren(draft: Draft, id: string): Promise<void> {
  const open: string[] = [];
  for (const one of await draft.dependents(id, { includeClosed: false })) {
    const child = await draft.get(one);
    if (child !== undefined && !isClosed(child) && dependsOn(child, "parent-child").includes(id)) open.push(one);
  }
  if (open.length === 0) return;
  const shown = open.slice(0, 5).join(", ");
  throw new ToolError(
    "conflict",
    `${id}: it has ${open.length} open ${open.length === 1 ? "child" : "children"}: ${shown}${open.length > 5 ? ", …" : ""}`,
    "Close them first, or in the same call.",
  );
}

function checkStart(id: string, { graph, status }: Issue): void {
  if (graph?.state !== "blocked") return;
  const by = [...graph.blockers, ...graph.under].join(", ");
  throw new ToolError("conflict", `${id}: blocked by ${by}, it cannot become ${status}`, "See issue_ready for others.");
}

async function writeNeighbours({ store, id }: Change<Issue>, draft: Draft, kind: IssueKind): Promise<void> {
  for (const one of draft.proposals()) {
    if (one.id === id || one.issue === undefined) continue;
    await store.put(kind, one.issue, { id: one.id, closed: isClosed(one.issue) });
  }
}
