import { describeIssues } from "@toolpacks/core";
import { z } from "zod";
import type { Settings } from "../config/settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
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

/** An entry of `issuesSync`. */
export interface SyncSetting {
  readonly name: string;
  /** The server or pack whose tools are called. */
  readonly server: string;
  /** Arguments of every call, such as the repository. */
  readonly args: Readonly<Record<string, unknown>>;
  readonly mapping: TrackerMapping;
  readonly fields: readonly SyncField[];
  /** Whether issues that exist only here are created there. */
  readonly create: boolean;
}

/** Reads an entry of `issuesSync`. @throws ConfigurationError for an unknown name or an invalid entry */
export function readSyncSetting(
  { issuesSync, file }: Pick<Settings, "issuesSync" | "file">,
  name: string,
): SyncSetting {
  const entry = Object.hasOwn(issuesSync, name) ? issuesSync[name] : undefined;
  if (entry === undefined) {
    const known = Object.keys(issuesSync).join(", ") || "none";
    throw new ConfigurationError(`issuesSync: no entry is named "${name}" (there are: ${known})`);
  }
  const where = `${file?.path ?? "config file"}: issuesSync.${name}`;
  const checked = settingSchema.safeParse(entry);
  if (!checked.success) throw new ConfigurationError(`${where}: ${describeIssues(checked.error.issues, [])}`);
  const { server = name, tracker, args, create, fields, values } = checked.data;
  const mapping = typeof tracker === "string" ? builtIn[tracker] : tracker;
  if (mapping === undefined) {
    const names = Object.keys(builtIn).join(", ");
    throw new ConfigurationError(
      `${where}: tracker: expected ${names}, or a mapping, received ${JSON.stringify(tracker)}`,
    );
  }
  // Neither side has an issue without a title.
  const chosen = [...new Set<SyncField>(["title", ...(fields ?? mapping.fields)])];
  const unread = chosen.find((field) => mapping.item[field] === undefined);
  if (unread !== undefined)
    throw new ConfigurationError(`${where}: fields: ${unread}: the tracker's item has no ${unread}`);
  if (create && mapping.create === undefined) {
    throw new ConfigurationError(`${where}: create: the tracker has no create`);
  }
  return {
    name,
    server,
    args,
    create,
    fields: chosen,
    mapping: { ...mapping, values: { ...mapping.values, ...values } },
  };
}
