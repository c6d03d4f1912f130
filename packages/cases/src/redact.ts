/** What is shorter than this is no secret, and to strike it out would mangle everything else. */
const minSecretLength = 6;

/** Strikes keys out of a text, wherever a model, an endpoint or a tool may have repeated them. */
export type Redact = (text: string) => string;

/** Creates it for some keys. */
export function createRedactor(keys: readonly (string | undefined)[]): Redact {
  const secrets = keys.filter((key) => key !== undefined && key.length >= minSecretLength) as string[];
  // In JSON a key may be written otherwise. Of two keys of which one begins as the other, the longer goes first.
  const forms = [...new Set(secrets.flatMap((key) => [key, JSON.stringify(key).slice(1, -1)]))];
  forms.sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, "[key]"), text);
}

/** A copy of a JSON value with keys struck out of every text in it. */
export function redactIn<Value>(value: Value, redact: Redact): Value {
  const copy = (inner: unknown): unknown => {
    if (typeof inner === "string") return redact(inner);
    if (Array.isArray(inner)) return inner.map(copy);
    if (inner === null || typeof inner !== "object") return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, one]) => [redact(name), copy(one)]));
  };
  return copy(value) as Value;
}
