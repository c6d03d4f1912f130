import { isBundled } from "../mount/bundled-packs.ts";
import type { Config } from "../config/config-schema.ts";
import { refusedWorkflows } from "./untrusted-workflows.ts";
import type { IgnoredSetting } from "./used-file.ts";

/** The applied and the ignored settings of an untrusted config file. */
export interface RestrictedConfig {
  readonly config: Config;
  readonly ignored: readonly IgnoredSetting[];
}

/** The applied and the ignored part of one setting. */
interface Verdict<Value> {
  readonly kept?: Value | undefined;
  readonly ignored?: readonly IgnoredSetting[];
}

type Rule<Value> = (value: Value, key: string) => Verdict<Value> | Promise<Verdict<Value>>;
type Rules = { readonly [Key in keyof Config]-?: Rule<NonNullable<Config[Key]>> };

const keep = <Value>(kept: Value): Verdict<Value> => ({ kept });
const ignore = (value: unknown, key: string): Verdict<never> => ({ ignored: [{ key, value }] });
const keepIf =
  <Value>(isHarmless: (value: Value) => boolean): Rule<Value> =>
  (value, key) =>
    isHarmless(value) ? keep(value) : ignore(value, key);

/** The relay's defaults, which are the limits for an untrusted project. */
const maxRelay = { maxAgeHours: 24, maxBytes: 268_435_456 };

/**
 * The rules for untrusted config files. Names, exposure, limits and refusals are applied. A setting is ignored if it could run code, start or reach
 * a server, open files or a store, send a variable, or allow a change.
 */
const rules: Rules = {
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
  packs: (packs) =>
    splitEntries(packs, "packs", ([name, options]) => options === false || (isBundled(name) && options === true)),
  workflows: async (workflows) => {
    const refused = await refusedWorkflows(workflows);
    return splitEntries(workflows, "workflows", ([name]) => !refused.has(name));
  },
  mcpServers: (servers) => splitEntries(servers, "mcpServers", () => false),
  // It would send issues to a server, and call any tool of it.
  issuesSync: ignore,
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
  sdk: ignore,
  http: ignore,
  watch: ignore,
};

/** Removes the settings that only a trusted config file may set. A setting without a rule is ignored. */
export async function restrictConfig(config: Config): Promise<RestrictedConfig> {
  const kept: Record<string, unknown> = {};
  const ignored: IgnoredSetting[] = [];
  for (const [key, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const rule = (Object.hasOwn(rules, key) ? rules[key as keyof Rules] : ignore) as Rule<unknown>;
    const verdict = await rule(value, key);
    if (verdict.kept !== undefined) kept[key] = verdict.kept;
    ignored.push(...(verdict.ignored ?? []));
  }
  return { config: kept, ignored };
}

/** Splits a record into harmless entries, and ignored entries with their keys. */
function splitEntries<Value>(
  record: Readonly<Record<string, Value>>,
  key: string,
  isHarmless: (entry: readonly [name: string, value: Value]) => boolean,
): Verdict<Record<string, Value>> {
  const entries = Object.entries(record);
  return {
    kept: Object.fromEntries(entries.filter(isHarmless)),
    ignored: entries.filter((entry) => !isHarmless(entry)).map(([name, value]) => ({ key: `${key}.${name}`, value })),
  };
}
