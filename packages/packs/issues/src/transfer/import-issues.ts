import { isDeepStrictEqual } from "node:util";
import type { Store } from "@toolpacks/core";
import { createDraft, type Draft } from "../graph/draft.ts";
import type { IssueKind } from "../graph/stored-issues.ts";
import { settle } from "../graph/settle.ts";
import { underived } from "../graph/underived.ts";
import { dependsOn, isClosed, utc, type Graph } from "../issue-record.ts";
import { ageFrom } from "../issue-rule.ts";
import { createPace, type Pace } from "./pace.ts";
import { removeCycles } from "./remove-cycles.ts";
import { removeDeep } from "./remove-deep.ts";
import type { BadLine, Line } from "./import-line.ts";
import { readIssueLine } from "./issue-line.ts";

export interface ImportOptions {
  /** Imports nothing when one line is bad. Default false: all good ones. */
  readonly strict?: boolean;
  /** Told after each part how many of the issues are in the store. */
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

/** Issues written in one transaction; others may write between two. */
const partSize = 500;

/**
 * Reads beads' JSONL into a store, over issues with the same ids. What an issue depends on need not exist. Importing a file again changes
 * nothing. Older issues come first, so that their age in the store is that of the file.
 */
export async function importIssues(
  { store, kind }: { readonly store: Store; readonly kind: IssueKind },
  lines: AsyncIterable<string> | Iterable<string>,
  { strict = false, progress, signal }: ImportOptions = {},
): Promise<Imported> {
  const pace = createPace(signal);
  const { good, bad } = await readLines(lines, pace);
  const get = async (id: string) => (await store.get(kind, id))?.data;
  bad.push(...(await removeCycles(good, { get, pace })));
  bad.push(...(await removeDeep(good, { get, pace })));
  bad.sort((a, b) => a.line - b.line);
  const counts = { added: 0, updated: 0, unchanged: 0 };
  if (strict && bad.length > 0) return { ...counts, bad };
  const issues = [...good.values()].sort((a, b) => compare(a.created, b.created));
  const writeAll = async (within: Store["transaction"]) => {
    for (let at = 0; at < issues.length; at += partSize) {
      signal?.throwIfAborted();
      const part = issues.slice(at, at + partSize);
      const done = await within((inside) => writePart(inside, { kind, part, pace }));
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
  await settle(draft, changed, { newAge, pace });
  await writeAll(store, draft, { kind, pace });
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
  ...underived,
  on: [],
  parents: [],
  dependents: 0,
  updated: "",
  closed: "",
};

/** Imported issues are taken as they are: their times, their ways from status to status, dependencies on what is elsewhere. */
async function writeAll(store: Store, draft: Draft, { kind, pace }: Pick<Part, "kind" | "pace">): Promise<void> {
  const asFound: IssueKind = { ...kind, rule: ({ after }) => ({ closed: isClosed(after) }) };
  for (const { id, issue } of draft.proposals()) {
    await pace();
    if (issue !== undefined) await store.put(asFound, issue, { id });
  }
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
