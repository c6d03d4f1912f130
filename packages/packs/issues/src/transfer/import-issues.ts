import { isDeepStrictEqual } from "node:util";
import { type Store, createPace, type Pace } from "@toolpacks/core";
import { createDraft, type IssueKind } from "../graph/draft.ts";
import { updateGraph } from "../graph/update-graph.ts";
import { initialReadiness } from "../graph/readiness.ts";
import { dependsOn, isClosed, utc, type Graph } from "../issue-record.ts";
import { ageFrom } from "../issue-rule.ts";
import { readIssueLine, type BadLine, type Line } from "./issue-line.ts";
import { rejectLines } from "./reject-lines.ts";

export interface ImportOptions {
  /** Whether one bad line prevents the whole import. Default false: all good lines are imported. */
  readonly strict?: boolean;
  /** Called after each batch with the number of written issues. */
  readonly progress?: (done: number, total: number) => void | Promise<void>;
  readonly signal?: AbortSignal;
}

export interface Imported {
  readonly added: number;
  readonly updated: number;
  readonly unchanged: number;
  /** In the order of the lines. */
  readonly bad: readonly BadLine[];
}

/** Number of issues in one transaction. Other calls may write between two batches. */
const partSize = 500;

/**
 * Imports beads' JSONL into a store. It replaces issues with the same ids. Dependencies need not exist. Importing a file again changes nothing.
 * Older issues are written first, so that they get the lower age.
 */
export async function importIssues(
  { store, kind }: { readonly store: Store; readonly kind: IssueKind },
  lines: AsyncIterable<string> | Iterable<string>,
  { strict = false, progress, signal }: ImportOptions = {},
): Promise<Imported> {
  const pace = createPace(signal);
  const { good, bad } = await readLines(lines, pace);
  const get = async (id: string) => (await store.get(kind, id))?.data;
  bad.push(...(await rejectLines(good, { get, pace })));
  bad.sort((a, b) => a.line - b.line);
  const counts = { added: 0, updated: 0, unchanged: 0 };
  if (strict && bad.length > 0) return { ...counts, bad };
  const issues = [...good.values()].sort((a, b) => compare(a.created, b.created));
  const writeAll = async (transact: Store["transaction"]) => {
    for (let at = 0; at < issues.length; at += partSize) {
      signal?.throwIfAborted();
      const part = issues.slice(at, at + partSize);
      const done = await transact((inside) => writePart(inside, { kind, part, pace }));
      counts.added += done.added;
      counts.updated += done.updated;
      counts.unchanged += done.unchanged;
      await progress?.(Math.min(at + partSize, issues.length), issues.length);
    }
  };
  if (strict) {
    await store.transaction((inside) => {
      Object.assign(counts, { added: 0, updated: 0, unchanged: 0 });
      return writeAll((work) => work(inside));
    });
  } else {
    await writeAll((work) => store.transaction(work));
  }
  return { ...counts, bad };
}

async function readLines(
  lines: AsyncIterable<string> | Iterable<string>,
  pace: Pace,
): Promise<{ readonly good: Map<string, Line>; readonly bad: BadLine[] }> {
  const good = new Map<string, Line>();
  const bad: BadLine[] = [];
  let line = 0;
  for await (const text of lines) {
    line += 1;
    await pace();
    if (text.trim() === "") continue;
    const read = readIssueLine(line === 1 ? text.replace(/^\uFEFF/, "") : text);
    if (typeof read === "string") {
      bad.push({ line, problem: read });
      continue;
    }
    const first = good.get(read.id);
    if (first === undefined) good.set(read.id, { ...read, line, created: utc(read.issue.created_at) });
    else bad.push({ line, problem: `id: ${read.id} is given twice, first on line ${first.line}` });
  }
  return { good, bad };
}

type Counts = Pick<Imported, "added" | "updated" | "unchanged">;

interface Part {
  readonly kind: IssueKind;
  readonly part: readonly Line[];
  readonly pace: Pace;
}

async function writePart(store: Store, { kind, part, pace }: Part): Promise<Counts> {
  const draft = createDraft(store, kind);
  await draft.load([...new Set(part.flatMap(({ id, issue }) => [id, ...dependsOn(issue)]))]);
  const newAge = await ageFrom(store);
  const changed: string[] = [];
  let added = 0;
  for (const line of part) {
    await pace();
    const before = await draft.stored(line.id);
    const graph = startGraph(line, before?.graph, newAge);
    if (before !== undefined && isDeepStrictEqual(before, { ...line.issue, graph })) continue;
    draft.set(line.id, { ...line.issue, graph });
    changed.push(line.id);
    if (before === undefined) added += 1;
  }
  await updateGraph(draft, changed, { newAge, pace });
  // Without the kind's rule: times, status changes and dependencies on missing issues stay as the file has them.
  const asProposed: IssueKind = { ...kind, rule: ({ after }) => ({ closed: isClosed(after) }) };
  for (const { id, issue } of draft.proposals()) {
    await pace();
    if (issue !== undefined) await store.put(asProposed, issue, { id });
  }
  return { added, updated: changed.length - added, unchanged: part.length - changed.length };
}

function startGraph({ found, absent }: Line, before: Graph | undefined, newAge: () => number): Graph {
  const { found: _found, absent: _absent, ...graph } = before ?? { ...noGraph, age: newAge() };
  return {
    ...graph,
    ...(Object.keys(found).length > 0 && { found }),
    ...(absent.length > 0 && { absent: [...absent] }),
  };
}

const noGraph: Omit<Graph, "age"> = {
  ...initialReadiness,
  blockerCount: 0,
  blockedCount: 0,
  on: [],
  parents: [],
  dependents: 0,
  updated: "",
  closed: "",
};

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
