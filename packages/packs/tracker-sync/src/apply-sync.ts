import { definedOnly, ToolError, type Kind, type Store } from "@toolpacks/core";
import { fromTracker, valueDigest, type FieldValues } from "./field-values.ts";
import { linkId, linkKind, type Link } from "./link-kind.ts";
import { readIssue, type LocalIssue } from "./local-issues.ts";
import type { LinkedChange, SyncChange } from "./plan-sync.ts";
import { TrackerError } from "./tracker-error.ts";
import type { AppliedSync, SyncNotice } from "./sync-report.ts";
import type { SyncSetting } from "./sync-setting.ts";
import { syncFields, type SyncField } from "./tracker-mapping.ts";
import type { CallTool, Tracker, TrackerItem } from "./tracker.ts";

export interface SyncContext {
  readonly setting: SyncSetting;
  readonly tracker: Tracker;
  /** The store, for links. Issues are written by tools. */
  readonly store: Store;
  readonly kind: Kind;
  readonly call: CallTool;
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number) => Promise<void>;
}

/** Number of calls one after the other without an answer of the tracker that end a synchronization. */
const maxUnanswered = 3;

/** Carries out a plan. Each change is complete before the next one begins, and a failed one changes no other. */
export async function applySync(changes: readonly SyncChange[], context: SyncContext): Promise<AppliedSync> {
  const { setting, signal } = context;
  const failures: SyncNotice[] = [];
  let [done, unanswered] = [0, 0];
  for (const [at, change] of changes.entries()) {
    const stop = (stopped: string, left = changes.length - at): AppliedSync => ({ done, failures, left, stopped });
    if (signal.aborted) return stop("interrupted");
    try {
      await applyChange(change, context);
      done += 1;
      unanswered = 0;
    } catch (error) {
      if (signal.aborted) return stop("interrupted");
      if (!(error instanceof TrackerError || ToolError.is(error))) throw error;
      const effect = error instanceof TrackerError ? error.effect : "refused";
      if (effect === "limited") return stop(`rate limit: ${error.message}`);
      failures.push({ issue: change.issue?.id, ref: change.item?.ref, problem: error.message });
      unanswered = effect === "unknown" ? unanswered + 1 : 0;
      if (unanswered === maxUnanswered)
        return stop(`${setting.server} did not answer ${unanswered} times in a row`, changes.length - at - 1);
    }
    await context.progress(at + 1, changes.length);
  }
  return { done, failures, left: 0 };
}

function applyChange(change: SyncChange, context: SyncContext): Promise<void> {
  if (change.kind === "create-here") return createHere(change.item, context);
  if (change.kind === "create-there") return createThere(change.issue, context);
  return applyLinked(change, context);
}

/** Creates an issue here. Its `external_ref` is written with it, so an interrupted creation is not repeated. */
async function createHere({ ref, values }: TrackerItem, context: SyncContext) {
  const fields = Object.entries(localFields(values, context.setting)).filter(([, value]) => value !== null);
  const issue = { ...Object.fromEntries(fields), external_ref: ref };
  const created = (await callHere(context, "issue_create", { issues: [issue] })) as {
    readonly items: { id: string }[];
  };
  const digests = digestsOf(values);
  for (const { id } of created.items)
    await putLink(context, { issue: id, ref, here: digests, there: digests, stored: true });
}

/**
 * Creates an issue there. The attempt is recorded before the call, and the reference right after it: after an interruption in between, the next
 * synchronization looks for the issue in the tracker's list.
 */
async function createThere(issue: LocalIssue, context: SyncContext): Promise<void> {
  const { setting, tracker } = context;
  await requireUnchanged(issue, context);
  const title = issue.values.title ?? issue.title;
  const attempt = { issue: issue.id, title: valueDigest(title), here: {}, there: {} };
  await putLink(context, { ...attempt, began: new Date().toISOString() });
  const created = await tracker.create(issue.values).catch(async (error: unknown) => {
    const effect = error instanceof TrackerError ? error.effect : ToolError.is(error) ? "refused" : "unknown";
    if (effect === "limited" || effect === "refused")
      await context.store.delete(linkKind, linkId(setting.name, issue.id));
    else if (effect === "answered") await putLink(context, attempt);
    throw error;
  });
  const link = withAlike({ issue: issue.id, ref: created.ref, here: {}, there: {} }, pick(issue.values, created.set));
  await putLink(context, link);
  await callHere(context, "issue_update", { ids: [issue.id], set: { external_ref: created.ref } });
  await completeThere(issue, { ...link, stored: true }, context);
}

/** Writes the fields that a new issue there could not be created with, and reads what the tracker made of the others. */
async function completeThere(issue: LocalIssue, link: LinkState, context: SyncContext): Promise<void> {
  const there = (await context.tracker.get(link.ref))?.values;
  const isThere = (field: SyncField) =>
    there !== undefined && valueDigest(there[field] ?? "") === valueDigest(issue.values[field] ?? "");
  const alike = fieldsOf(issue.values).filter((field) => link.here[field] !== undefined || isThere(field));
  const missing = fieldsOf(issue.values).filter((field) => !alike.includes(field));
  const known = withAlike(link, pick(issue.values, alike), there);
  await putLink(context, known);
  if (missing.length > 0) await writeThere(pick(issue.values, missing), known, context);
}

/** Writes fields there, and then the common state. Resolves to it. */
async function writeThere(values: FieldValues, link: LinkState, context: SyncContext): Promise<LinkState> {
  const { tracker } = context;
  const written = pick(values, await tracker.update(link.ref, values));
  const known = withAlike(link, written, (await tracker.get(link.ref))?.values);
  await putLink(context, known);
  return known;
}

/**
 * Writes the changes of an issue that is on both sides, and then their common state. It is written there first, so that a change that is refused here
 * holds up none there.
 */
async function applyLinked(change: LinkedChange, context: SyncContext): Promise<void> {
  const { issue, item } = change;
  const { ref } = item;
  await requireUnchanged(issue, context);
  const { here = {}, there = {} } = change.link ?? {};
  const stored = issue.externalRef !== undefined;
  let link = withAlike({ issue: issue.id, ref, here, there, stored }, change.agreed);
  const fields = fieldsOf(change.writeThere);
  if (fields.length > 0) {
    await requireSameThere(item, fields, context.tracker);
    link = await writeThere(change.writeThere, link, context);
  }
  await writeHere(change, context);
  await putLink(context, { ...withAlike(link, change.writeHere), stored: true });
}

/** Writes the fields that changed there, if the issue is still as it was. */
async function writeHere({ issue, item, writeHere: values }: LinkedChange, context: SyncContext): Promise<void> {
  const fields = localFields(values, context.setting);
  const record = {
    ...fields,
    ...(fields["status"] === "closed" && { close_reason: `closed in ${item.ref}` }),
    ...(issue.externalRef === undefined && { external_ref: item.ref }),
  };
  if (Object.keys(record).length > 0)
    await callHere(context, "store_put", {
      kind: "issue",
      id: issue.id,
      record,
      patch: true,
      ifGeneration: issue.generation,
    });
}

/** @throws ToolError when the issue was changed since the plan */
async function requireUnchanged(issue: LocalIssue, context: SyncContext): Promise<void> {
  const now = await readIssue(context, issue.id);
  if (now?.generation !== issue.generation) throw new ToolError("conflict", "changed here meanwhile: run again");
}

/** @throws TrackerError when one of the fields was changed there since the list */
async function requireSameThere(item: TrackerItem, fields: readonly SyncField[], tracker: Tracker): Promise<void> {
  const now = await tracker.get(item.ref);
  if (now === undefined) return;
  const isSame = (field: SyncField) => valueDigest(now.values[field] ?? "") === valueDigest(item.values[field] ?? "");
  const changed = fields.filter((field) => !isSame(field));
  if (changed.length > 0)
    throw new TrackerError("refused", `${changed.join(", ")}: changed there meanwhile: run again`);
}

/** Calls a tool of this server. Resolves to its value. @throws ToolError */
async function callHere(
  { call }: SyncContext,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const outcome = await call(tool, args);
  if (outcome.ok) return outcome.value;
  const { code, message, hint } = outcome.failure;
  throw new ToolError(code, `${tool}: ${message}${hint === undefined ? "" : ` (${hint})`}`);
}

type LinkState = Omit<Link, "sync" | "ref"> & { readonly ref: string };

function putLink({ store, setting }: SyncContext, link: Omit<Link, "sync">): Promise<unknown> {
  return store.put(linkKind, { sync: setting.name, ...link }, { id: linkId(setting.name, link.issue) });
}

/** The fields of an issue here for values of the tracker. An empty text is none. */
function localFields(values: FieldValues, { mapping }: SyncSetting): Readonly<Record<string, unknown>> {
  const fields = Object.entries(values).map(([field, value]) => {
    const here = fromTracker(mapping, field as SyncField, value);
    return [field, here === "" ? null : here] as const;
  });
  return definedOnly(Object.fromEntries(fields));
}

/** A link after fields have become alike. The tracker may have given them a form of its own there. */
function withAlike(link: LinkState, values: FieldValues, there: FieldValues = values): LinkState {
  const theirs = pick({ ...values, ...there }, fieldsOf(values));
  return { ...link, here: { ...link.here, ...digestsOf(values) }, there: { ...link.there, ...digestsOf(theirs) } };
}

function digestsOf(values: FieldValues): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, valueDigest(value)]));
}

function fieldsOf(values: Readonly<Partial<Record<SyncField, unknown>>>): readonly SyncField[] {
  return syncFields.filter((field) => values[field] !== undefined);
}

function pick(values: FieldValues, fields: readonly SyncField[]): FieldValues {
  return Object.fromEntries(Object.entries(values).filter(([field]) => fields.includes(field as SyncField)));
}
