import { isObject } from "@toolpacks/core";

/** The text of a result that holds only a text, such as a model step's. Undefined for any other value. */
export function textOfResult(value: unknown): string | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value["text"] === "string" ? value["text"] : undefined;
}

/** Replaces `{text}` results in params by their text, where the schema accepts only a text. */
export function withTexts(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  const { type, properties, items } = schema;
  if (type === "string") return textOfResult(value) ?? value;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, items));
  if (!isObject(value) || !isObject(properties)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      Object.hasOwn(properties, name) ? withTexts(field, properties[name]) : field,
    ]),
  );
}
