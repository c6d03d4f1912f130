import { isBundled } from "../bundled-packs.ts";
import type { Config } from "../config/config-schema.ts";
import { refusedWorkflows } from "./untrusted-workflows.ts";
import type { IgnoredSetting } from "./used-file.ts";

/** What is left of a config file that is not trusted. */
export interface RestrictedConfig {
  readonly config: Config;
  readonly ignored: readonly IgnoredSetting[];
}

/** What of a setting is applied, and what is ignored. */
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

/** The defaults of the relay. A project may shorten how much is kept and for how long, not extend it. */
const maxRelay = { maxAgeHours: 24, maxBytes: 268_435_456 };

/**
 * What a config file may set that nobody has trusted: names, exposure, limits, and what refuses more. Nothing in it may run code, start or reach a
 * server, open files or a store, send a variable anywhere, or allow a change.
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
  maxWorkspaceBytes: ignore,
  roots: ignore,
  clientRoots: keepIf((clientRoots) => clientRoots === false),
  store: ignore,
  workspace: ignore,
  workspaces: keepIf((workspaces) => workspaces === "own"),
  embeddings: ignore,
  sdk: ignore,
  watch: ignore,
};

/** Takes everything out of a config file that only a trusted one may say. A setting without a rule is ignored. */
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

/** The entries of a record that are harmless, and the others each by its name. */
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
