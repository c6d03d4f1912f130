import { ignore, keep, keepEntries, keepIf, type UntrustedRules } from "@toolpacks/settings";
import { isBundled } from "./bundled-names.ts";
import type { Config } from "./config-schema.ts";
import { refusedWorkflows } from "./untrusted-workflows.ts";

/** The relay's defaults, which are the limits for an untrusted project. */
const maxRelay = { maxAgeHours: 24, maxBytes: 268_435_456 };

/**
 * The rules for untrusted config files. Names, exposure, limits and refusals are applied. A setting is ignored if it could run code, start or reach
 * a server, open files or a store, send a variable, or allow a change.
 */
export const untrustedRules: UntrustedRules<Config> = {
  $schema: keep,
  surface: keep,
  expose: keep,
  deny: keep,
  facet: keep,
  results: keep,
  autoBudget: keep,
  // A quieter level would hide what is ignored.
  logLevel: keepIf((level) => level !== "silent" && level !== "error"),
  write: keepIf((write) => !write),
  readOnly: keepIf((readOnly) => readOnly),
  relay: keepIf(
    (relay) =>
      typeof relay === "boolean" ||
      ((relay.maxAgeHours ?? 0) <= maxRelay.maxAgeHours && (relay.maxBytes ?? 0) <= maxRelay.maxBytes),
  ),
  // Without undo, what an agent does there could not be taken back.
  packs: keepEntries(
    (name, options) => (options === false && name !== "undo") || (isBundled(name) && options === true),
  ),
  workflows: async (workflows, key) => {
    const refused = await refusedWorkflows(workflows);
    return keepEntries<(typeof workflows)[string]>((name) => !refused.has(name))(workflows, key);
  },
  mcpServers: keepEntries(() => false),
  maxWorkspaceBytes: ignore,
  roots: ignore,
  clientRoots: keepIf((clientRoots) => clientRoots === false),
  store: ignore,
  workspace: ignore,
  workspaces: keepIf((workspaces) => workspaces === "own"),
  embeddings: ignore,
  // A model of the folder would get texts and keys of the user, and cost money.
  models: ignore,
  routing: ignore,
  modelBudget: ignore,
  meaning: keep,
  http: ignore,
  watch: ignore,
};
