/** A setting of an untrusted config file that is not applied. */
export interface IgnoredSetting {
  /** Key in the config file: `write`, `packs../notes.js`. */
  readonly key: string;
  readonly value: unknown;
}

/** The applied and the ignored part of one setting. */
export interface Verdict<Value> {
  readonly kept?: Value | undefined;
  readonly ignored?: readonly IgnoredSetting[];
}

/** Decides which part of a setting an untrusted file may set. */
export type UntrustedRule<Value> = (value: Value, key: string) => Verdict<Value> | Promise<Verdict<Value>>;

/** A rule for each setting. The type requires them all. */
export type UntrustedRules<Config extends object> = {
  readonly [Key in keyof Config]-?: UntrustedRule<NonNullable<Config[Key]>>;
};

/** The applied and the ignored settings of an untrusted config file. */
export interface RestrictedConfig<Config extends object> {
  readonly config: Config;
  readonly ignored: readonly IgnoredSetting[];
}

/** The rule of a setting that is harmless with every value. */
export const keep = <Value>(kept: Value): Verdict<Value> => ({ kept });

/** The rule of a setting that only a trusted file may set. */
export const ignore = (value: unknown, key: string): Verdict<never> => ({ ignored: [{ key, value }] });

/** The rule of a setting that is harmless with some values. */
export const keepIf =
  <Value>(isHarmless: (value: Value) => boolean): UntrustedRule<Value> =>
  (value, key) =>
    isHarmless(value) ? keep(value) : ignore(value, key);

/** The rule of a record with some harmless entries. */
export const keepEntries =
  <Value>(isHarmless: (name: string, value: Value) => boolean): UntrustedRule<Record<string, Value>> =>
  (record, key) => {
    const entries = Object.entries(record);
    return {
      kept: Object.fromEntries(entries.filter(([name, value]) => isHarmless(name, value))),
      ignored: entries
        .filter(([name, value]) => !isHarmless(name, value))
        .map(([name, value]) => ({ key: `${key}.${name}`, value })),
    };
  };

/** Removes the settings that only a trusted config file may set. A setting without a rule is ignored. */
export async function restrictConfig<Config extends object>(
  config: Config,
  rules: UntrustedRules<Config>,
): Promise<RestrictedConfig<Config>> {
  const kept: Record<string, unknown> = {};
  const ignored: IgnoredSetting[] = [];
  for (const [key, value] of Object.entries(config)) {
    if (value === undefined) continue;
    const rule = (Object.hasOwn(rules, key) ? rules[key as keyof Config] : ignore) as UntrustedRule<unknown>;
    const verdict = await rule(value, key);
    if (verdict.kept !== undefined) kept[key] = verdict.kept;
    ignored.push(...(verdict.ignored ?? []));
  }
  return { config: kept as Config, ignored };
}
