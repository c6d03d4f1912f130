import { errorText, isObject, ToolError, type Failed, type Outcome, type Success } from "@toolpacks/core";
import { jsonOfResult, outcomeValue } from "@toolpacks/expressions";
import { compileMapping, type CompiledMapping } from "./compile-mapping.ts";
import { fromTracker, readFields, type FieldValues, type ReadFields } from "./field-values.ts";
import { isRateLimit, TrackerError } from "./tracker-error.ts";
import type { SyncSetting } from "./sync-setting.ts";
import type { SyncField } from "./tracker-mapping.ts";

export interface TrackerItem extends ReadFields {
  /** Its `external_ref` here: the tracker's reference after the prefix of the mapping. */
  readonly ref: string;
}

/** The issues of another tracker. A method rejects with a TrackerError, or with a ToolError for an expression that failed before a call. */
export interface Tracker {
  /** Every issue, once. */
  list(): Promise<readonly TrackerItem[]>;
  /** Reads one issue. Undefined: the mapping has no tool for it. */
  get(ref: string): Promise<TrackerItem | undefined>;
  /** Creates an issue. Resolves to its reference, and the fields that the tool has set. */
  create(values: FieldValues): Promise<{ readonly ref: string; readonly set: readonly SyncField[] }>;
  /** Changes fields. Resolves to those for which the mapping has a tool. */
  update(ref: string, values: FieldValues): Promise<readonly SyncField[]>;
}

export type CallTool = (tool: string, args: Readonly<Record<string, unknown>>) => Promise<Outcome>;

/** Calls a tool and resolves to the JSON of its result. */
type RunTool = (tool: string, args: object) => Promise<unknown>;

type ReadItem = (item: unknown) => Promise<TrackerItem>;

/** Opens a tracker through a server's tools. @throws ToolError for an invalid expression of the mapping */
export async function openTracker({ mapping, args: common, fields }: SyncSetting, call: CallTool): Promise<Tracker> {
  const compiled = await compileMapping(mapping);
  const run: RunTool = async (tool, args) => {
    const outcome = await call(tool, { ...common, ...args });
    if (outcome.ok) return resultOf(outcome);
    throw failureOf(tool, outcome);
  };
  const readItem: ReadItem = async (item) => {
    const { ref, ...read } = await compiled.item({ item });
    const known = readFields(fields, read, (field, value) =>
      fromTracker(mapping, field, value) === undefined ? undefined : value,
    );
    return { ref: mapping.refPrefix + referenceOf(ref, "item.ref"), ...known };
  };
  const ownRef = (ref: string) => ref.slice(mapping.refPrefix.length);
  return {
    list: () => listItems(compiled, run, readItem),
    async get(ref) {
      const { get } = compiled;
      if (get === undefined) return undefined;
      return readItem(await get.item({ result: await run(get.tool, await get.args({ ref: ownRef(ref) })) }));
    },
    async create(values) {
      const { ref, set } = await createItem(compiled, run, values);
      return { ref: mapping.refPrefix + ref, set };
    },
    async update(ref, values) {
      const done: SyncField[] = [];
      for (const operation of compiled.update) {
        const { set, args } = await operation.argsOf(values, { ref: ownRef(ref) });
        if (set.length === 0) continue;
        await run(operation.tool, args);
        done.push(...set);
      }
      return done;
    },
  };
}

const maxPages = 10_000;

/** Reads all pages of the list. An issue that moved to another page meanwhile is returned once, as it was read last. */
async function listItems({ list }: CompiledMapping, run: RunTool, readItem: ReadItem): Promise<readonly TrackerItem[]> {
  const items = new Map<string, TrackerItem>();
  const seen = new Set<string>();
  let next: unknown = {};
  for (let page = 1; isObject(next) && (page === 1 || Object.keys(next).length > 0); page += 1) {
    const key = JSON.stringify(next);
    if (page > maxPages || seen.has(key)) {
      throw new TrackerError("answered", `${list.tool}: the list does not end: its next page is one that was read`);
    }
    seen.add(key);
    const result = await run(list.tool, { ...(await list.args({ page })), ...next });
    const found = await list.items({ result, page });
    if (!Array.isArray(found)) throw new ToolError("invalid_input", "list.items: expected a list");
    for (const one of found) {
      const item = await readItem(one);
      items.set(item.ref, item);
    }
    next = await list.next?.({ result, page });
  }
  return [...items.values()];
}

async function createItem({ create }: CompiledMapping, run: RunTool, values: FieldValues) {
  if (create === undefined) throw new TrackerError("refused", "the tracker has no create");
  const { set, args } = await create.argsOf(values, {});
  const result = await run(create.tool, args);
  try {
    return { ref: referenceOf(await create.ref({ result }), "create.ref"), set };
  } catch (error) {
    // The issue may exist.
    throw new TrackerError("unknown", `${create.tool}: ${errorText(error)}`);
  }
}

/** @throws ToolError */
function referenceOf(value: unknown, at: string): string {
  if (typeof value === "number" || (typeof value === "string" && value !== "")) return String(value);
  throw new ToolError("invalid_input", `${at}: expected a text or a number, received ${JSON.stringify(value)}`);
}

/** The JSON of a result: its structured content, or the JSON in its text. */
function resultOf(outcome: Success): unknown {
  const value = outcomeValue(outcome);
  return jsonOfResult(value) ?? value;
}

/** Codes of failures before a tool ran. */
const refusals = new Set(["invalid_input", "denied", "not_found"]);
const maxMessage = 500;
function failureOf(tool: string, { failure, blocks = [] }: Failed): TrackerError {
  const answer = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join(" ");
  const message = `${tool}: ${(answer || failure.message).slice(0, maxMessage)}`;
  if (isRateLimit(message)) return new TrackerError("limited", message);
  if (answer !== "") return new TrackerError("answered", message);
  return new TrackerError(refusals.has(failure.code) ? "refused" : "unknown", message);
}
