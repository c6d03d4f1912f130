import { describeIssues, ToolError } from "@toolpacks/core";
import { z } from "zod";
import { githubMapping } from "./github-mapping.ts";
import { fieldNames, fieldValues, trackerMapping, type SyncField, type TrackerMapping } from "./tracker-mapping.ts";

const builtIn: Readonly<Record<string, TrackerMapping>> = { github: githubMapping };

const settingSchema = z.strictObject({
  server: z.string().min(1).optional(),
  tracker: z.union([z.string().min(1), trackerMapping]),
  args: z.record(z.string(), z.unknown()).default({}),
  create: z.boolean().default(false),
  fields: fieldNames.optional(),
  values: fieldValues.optional(),
});

/** An entry of `servers`. */
export interface SyncSetting {
  readonly name: string;
  /** The facet whose tools are called. */
  readonly server: string;
  /** Arguments of every call, such as the repository. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly mapping: TrackerMapping;
  readonly fields: readonly SyncField[];
  /** Whether issues that exist only here are created there. */
  readonly create: boolean;
}

/** Reads an entry of `servers`. @throws ToolError for an unknown name or an invalid entry */
export function readSyncSetting(
  servers: Readonly<Record<string, unknown>>,
  name: string,
  create?: boolean,
): SyncSetting {
  const entry = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (entry === undefined) {
    const names = Object.keys(servers).join(", ") || "none";
    throw new ToolError("not_found", `tracker: no entry of servers is named "${name}"`, `There are: ${names}.`);
  }
  const refuse = (problem: string) => new ToolError("invalid_input", `servers.${name}: ${problem}`, fixHint);
  const checked = settingSchema.safeParse(entry);
  if (!checked.success) throw refuse(describeIssues(checked.error.issues, []));
  const { server = name, tracker, args, fields, values } = checked.data;
  const mapping = typeof tracker === "string" ? builtIn[tracker] : tracker;
  if (mapping === undefined) {
    const names = Object.keys(builtIn).join(", ");
    throw refuse(`tracker: expected ${names}, or a mapping, received ${JSON.stringify(tracker)}`);
  }
  // Neither side has an issue without a title.
  const chosen = [...new Set<SyncField>(["title", ...(fields ?? mapping.fields)])];
  const unread = chosen.find((field) => mapping.item[field] === undefined);
  if (unread !== undefined) throw refuse(`fields: ${unread}: the tracker's item has no ${unread}`);
  const creates = create ?? checked.data.create;
  if (creates && mapping.create === undefined) throw refuse("create: the tracker has no create");
  const all = { ...mapping, values: { ...mapping.values, ...values } };
  return { name, server, args, create: creates, fields: chosen, mapping: all };
}

const fixHint = "The user can correct it in the options of the tracker-sync pack.";
