import { isObject } from "@toolpacks/core";

/** Minimum length of a redacted key. Shorter texts occur by chance. */
const minSecretLength = 6;

/** Replaces keys in a text that a model, an endpoint or a tool may have repeated. */
export type Redact = (text: string) => string;

/** Creates a redactor for keys. */
export function createRedactor(keys: readonly (string | undefined)[]): Redact {
  const secrets = keys.filter((key) => key !== undefined && key.length >= minSecretLength) as string[];
  // JSON may escape characters of a key. A longer key is replaced before a key that is its prefix.
  const forms = [...new Set(secrets.flatMap((key) => [key, JSON.stringify(key).slice(1, -1)]))];
  forms.sort((one, other) => other.length - one.length);
  return (text) => forms.reduce((rest, form) => rest.replaceAll(form, "[key]"), text);
}

/** Copies a JSON value and redacts every text in it. */
export function redactIn<Value>(value: Value, redact: Redact): Value {
  const copy = (inner: unknown): unknown => {
    if (typeof inner === "string") return redact(inner);
    if (Array.isArray(inner)) return inner.map(copy);
    if (!isObject(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).map(([name, one]) => [redact(name), copy(one)]));
  };
  return copy(value) as Value;
}
