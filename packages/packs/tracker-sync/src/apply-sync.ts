import { definedOnly, ToolError, type Kind, type Store } from "@toolpacks/core";
import { fromTracker, knownValues, valueDigest, type FieldValue, type FieldValues } from "./field-values.ts";
import { linkId, linkKind, type Link } from "./link-kind.ts";
import { readIssue, type LocalIssue } from "./local-issues.ts";
import type { LinkedChange, SyncChange } from "./plan-sync.ts";
import { TrackerError } from "./tracker-error.ts";
import type { SyncSetting } from "./sync-setting.ts";
import { syncFields, type SyncField } from "./tracker-mapping.ts";
import type { CallTool, Tracker } from "./tracker.ts";

export interface SyncContext {
  readonly setting: SyncSetting;
  readonly tracker: Tracker;
  /** The store, for links. Issues are written by tools. */
  readonly store: Store;
  /** The kind of issues. */
  readonly kind: Kind;
  /** Calls a tool of this server. */
  readonly call: CallTool;
  readonly signal: AbortSignal;
  readonly progress: (done: number, total: number) => Promise<void>;
}

export interface SyncFailure {
  readonly issue?: string;
  readonly ref?: string;
  readonly problem: string;
}

export interface AppliedSync {
  readonly done: number;
  readonly failures: readonly SyncFailure[];
  /** Number of changes that were not begun. */
  readonly left: number;
  /** Why the rest was not begun. */
  readonly stopped?: string;
}

/** Number of calls one after the other without an answer of the tracker that end a synchronization. */
const maxUnanswered = 3;

/** Carries out a plan: first what is written here. Each change is complete before the next one begins, and a failed one changes no other. */
export async function applySync(changes: readonly SyncChange[], context: SyncContext): Promise<AppliedSync> {
  const { setting, signal } = context;
  const failures: SyncFailure[] = [];
  let [done, unanswered] = [0, 0];
  for (const [at, change] of changes.entries()) {
    const stop = (stopped: string): AppliedSync => ({ done, failures, left: changes.length - at, stopped });
    if (signal.aborted) return stop("interrupted");
    try {
      await applyChange(change, context);
      done += 1;
      unanswered = 0;
    } catch (error) {
      if (signal.aborted) return stop("interrupted");
      if (!(error instanceof TrackerError || error instanceof LocalFailure || ToolError.is(error))) throw error;
      if (error instanceof TrackerError && error.effect === "limited") return stop(`rate limit: ${error.message}`);
      failures.push({ ...namesOf(change), problem: error.message });
      unanswered = error instanceof TrackerError && error.effect === "unknown" ? unanswered + 1 : 0;
      if (unanswered === maxUnanswered) {
        const stopped = `${setting.server} did not answer ${unanswered} times in a row`;
        return { done, failures, left: changes.length - at - 1, stopped };
      }
    }
    await context.progress(at + 1, changes.length);
  }
  return { done, failures, left: 0 };
}

/** A change here that was refused, or that would overwrite a change since the plan. */
class LocalFailure extends Error {
  override readonly name = "LocalFailure";
}

function namesOf(change: SyncChange): Pick<SyncFailure, "issue" | "ref"> {
  if (change.kind === "create-here") return { ref: change.item.ref };
  if (change.kind === "create-there") return { issue: change.issue.id };
  return { issue: change.issue.id, ref: change.item.ref };
}

function applyChange(change: SyncChange, context: SyncContext): Promise<void> {
  if (change.kind === "create-here") return createHere(change.item, context);
  if (change.kind === "create-there") return createThere(change.issue, context);
  return applyLinked(change, context);
}

/** Creates an issue here. Its `external_ref` is written with it, so an interrupted creation is not repeated. */
async function createHere({ ref, values }: Extract<SyncChange, { kind: "create-here" }>["item"], context: SyncContext) {
  const { setting } = context;
  const known = knownValues(values, setting.mapping);
  const externalRef = setting.mapping.refPrefix + ref;
  const fields = Object.entries(localFields(known, setting)).filter(([, value]) => value !== null);
  const issue = { ...Object.fromEntries(fields), external_ref: externalRef };
  const created = await callHere(context, "issue_create", { issues: [issue] });
  const [item] = (created as { readonly items: readonly { readonly id: string }[] }).items;
  if (item === undefined) throw new LocalFailure("issue_create returned no issue");
  const digests = digestsOf(known);
  await putLink(context, { issue: item.id, ref, here: digests, there: digests, stored: true });
}

/**
 * Creates an issue there. The attempt is recorded before the call, and the reference right after it: after an interruption in between, the next
 * synchronization looks for the issue in the tracker's list.
 */
async function createThere(issue: LocalIssue, context: SyncContext): Promise<void> {
  const { setting, tracker } = context;
  await requireUnchanged(issue, context);
  const title = issue.values.title ?? issue.title;
  const attempt = { issue: issue.id, title: valueDigest(title), began: new Date().toISOString(), here: {}, there: {} };
  await putLink(context, attempt);
  const created = await tracker.create(issue.values).catch(async (error: unknown) => {
    const effect = error instanceof TrackerError ? error.effect : ToolError.is(error) ? "refused" : "unknown";
    if (effect === "limited" || effect === "refused")
      await context.store.delete(linkKind, linkId(setting.name, issue.id));
    else if (effect === "answered") await putLink(context, { ...attempt, answered: true });
    throw error;
  });
  const set = digestsOf(pick(issue.values, created.set));
  const link = { issue: issue.id, ref: created.ref, here: set, there: set };
  await putLink(context, link);
  await storeRef(issue, created.ref, context);
  await putLink(context, { ...link, stored: true });
  await completeThere(issue, { ...link, stored: true }, context);
}

/** Writes the fields that a new issue there could not be created with, and reads what the tracker made of the others. */
async function completeThere(issue: LocalIssue, link: LinkState, context: SyncContext): Promise<void> {
  const there = (await context.tracker.get(link.ref))?.values;
  const isKnown = (field: SyncField, value: FieldValue | undefined) =>
    value !== undefined && there !== undefined && valueDigest(there[field] ?? "") === valueDigest(value);
  const others = fieldsOf(issue.values).filter((field) => link.here[field] === undefined);
  const equal = others.filter((field) => isKnown(field, issue.values[field]));
  const missing = others.filter((field) => !equal.includes(field));
  const here = { ...link.here, ...digestsOf(pick(issue.values, equal)) };
  const known = { ...link, here, there: { ...here, ...digestsOf(pick(there ?? {}, fieldsOf(here))) } };
  await putLink(context, known);
  if (missing.length > 0) await writeThere(pick(issue.values, missing), known, context);
}

/** Writes fields there, and then the common state, with what the tracker made of them. */
async function writeThere(values: FieldValues, link: LinkState, context: SyncContext): Promise<void> {
  const { tracker } = context;
  const written = pick(values, await tracker.update(link.ref, values));
  const known = {
    ...link,
    here: { ...link.here, ...digestsOf(written) },
    there: { ...link.there, ...digestsOf(written) },
  };
  await putLink(context, known);
  const there = (await tracker.get(link.ref))?.values;
  if (there === undefined) return;
  await putLink(context, { ...known, there: { ...known.there, ...digestsOf(pick(there, fieldsOf(written))) } });
}

/** Writes the changes of an issue that is on both sides, and then their common state. A change that is refused here is still written there. */
async function applyLinked(change: LinkedChange, context: SyncContext): Promise<void> {
  const { issue, item, agreed } = change;
  await requireUnchanged(issue, context);
  const common = digestsOf(agreed);
  let link: LinkState = {
    issue: issue.id,
    ref: item.ref,
    here: { ...change.link?.here, ...common },
    there: { ...change.link?.there, ...common },
    stored: issue.externalRef !== undefined,
  };
  let refused: unknown;
  try {
    const written = digestsOf(await writeHere(change, context));
    link = { ...link, here: { ...link.here, ...written }, there: { ...link.there, ...written }, stored: true };
  } catch (error) {
    if (!(error instanceof LocalFailure)) throw error;
    refused = error;
  }
  await putLink(context, link);
  const fields = fieldsOf(change.writeThere);
  if (fields.length > 0) {
    await requireSameThere(item, fields, context.tracker);
    await writeThere(change.writeThere, link, context);
  }
  if (refused !== undefined) throw refused;
}

/** Writes the fields that changed there, if the issue is still as it was. Resolves to them. */
async function writeHere({ issue, item, writeHere: values }: LinkedChange, context: SyncContext): Promise<FieldValues> {
  const { setting } = context;
  const externalRef = setting.mapping.refPrefix + item.ref;
  const fields = localFields(values, setting);
  const patch = {
    ...fields,
    ...(fields["status"] === "closed" && { close_reason: `closed in ${externalRef}` }),
    ...(issue.externalRef === undefined && { external_ref: externalRef }),
  };
  if (Object.keys(patch).length > 0) {
    const args = { kind: "issue", id: issue.id, record: patch, patch: true, ifGeneration: issue.generation };
    await callHere(context, "store_put", args);
  }
  return values;
}

/** @throws LocalFailure when the issue was changed since the plan */
async function requireUnchanged(issue: LocalIssue, context: SyncContext): Promise<void> {
  const now = await readIssue(context, issue.id);
  if (now?.generation !== issue.generation) throw new LocalFailure("changed here meanwhile: run again");
}

/** @throws TrackerError when one of the fields was changed there since the list */
async function requireSameThere(
  item: LinkedChange["item"],
  fields: readonly SyncField[],
  tracker: Tracker,
): Promise<void> {
  const now = await tracker.get(item.ref);
  if (now === undefined) return;
  const isSame = (field: SyncField) => valueDigest(now.values[field] ?? "") === valueDigest(item.values[field] ?? "");
  const changed = fields.filter((field) => !isSame(field));
  if (changed.length > 0)
    throw new TrackerError("refused", `${changed.join(", ")}: changed there meanwhile: run again`);
}

async function storeRef(issue: LocalIssue, ref: string, context: SyncContext): Promise<void> {
  const externalRef = context.setting.mapping.refPrefix + ref;
  await callHere(context, "issue_update", { ids: [issue.id], set: { external_ref: externalRef } });
}

/** Calls a tool of this server. Resolves to its value. @throws LocalFailure */
async function callHere(
  { call }: SyncContext,
  tool: string,
  args: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  const outcome = await call(tool, args);
  if (outcome.ok) return outcome.value;
  const { message, hint } = outcome.failure;
  throw new LocalFailure(`${tool}: ${message}${hint === undefined ? "" : ` (${hint})`}`);
}

/** The link of an issue that is on both sides. */
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

function digestsOf(values: FieldValues): Record<string, string> {
  return Object.fromEntries(Object.entries(values).map(([field, value]) => [field, valueDigest(value)]));
}

function fieldsOf(values: Readonly<Partial<Record<SyncField, unknown>>>): readonly SyncField[] {
  return syncFields.filter((field) => values[field] !== undefined);
}

function pick(values: FieldValues, fields: readonly SyncField[]): FieldValues {
  return Object.fromEntries(Object.entries(values).filter(([field]) => fields.includes(field as SyncField)));
}
