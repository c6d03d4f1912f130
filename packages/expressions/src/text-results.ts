import { messageBounds, parseBounded } from "@toolpacks/bounded-io";
import { isObject, type Outcome } from "@toolpacks/core";

/** The text of a result that holds only a text, such as a model step's. Undefined for any other value. */
export function textOfResult(value: unknown): string | undefined {
  if (!isObject(value) || Object.keys(value).length !== 1) return undefined;
  return typeof value["text"] === "string" ? value["text"] : undefined;
}

type Success = Extract<Outcome, { ok: true }>;

/** The text of a call's result. */
export function outcomeText({ blocks, text }: Success): string {
  if (blocks === undefined) return text;
  return blocks.map((block) => (block.type === "text" ? block.text : `[${block.type}]`)).join("\n");
}

/** The complete result of a call, as expressions see it: its value, or `{text}`. */
export function outcomeValue(outcome: Success): unknown {
  return outcome.fullValue ?? outcome.value ?? { text: outcomeText(outcome) };
}

/** Maximum length of a text that is parsed as JSON, in characters. */
const maxJsonLength = 16 * 1024 * 1024;
const parsedTexts = new WeakMap<object, unknown>();

/**
 * The list or object in the text of a result. Servers without structured content send their JSON as a text. The result keeps
 * the text, because a number may lose digits when it is parsed. Undefined for any other value.
 */
export function jsonOfResult(value: unknown): unknown {
  const text = textOfResult(value);
  if (text === undefined || !isObject(value)) return undefined;
  if (!parsedTexts.has(value)) parsedTexts.set(value, listOrObject(text));
  return parsedTexts.get(value);
}

function listOrObject(text: string): unknown {
  if (text.length > maxJsonLength || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return parseBounded(text, messageBounds);
  } catch {
    return undefined;
  }
}

/**
 * Replaces `{text}` results in params by their text where the schema accepts only a text, and by the list or object in the
 * text where it accepts only such a value.
 */
export function withTexts(value: unknown, schema: unknown): unknown {
  if (!isObject(schema)) return value;
  const { type, properties, items } = schema;
  if (type === "string") return textOfResult(value) ?? value;
  const json = jsonOfResult(value);
  if (type === "array" && Array.isArray(json)) return json;
  if (type === "object" && isObject(json) && !(isObject(properties) && Object.hasOwn(properties, "text"))) return json;
  if (Array.isArray(value)) return value.map((item) => withTexts(item, items));
  if (!isObject(value) || !isObject(properties)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name,
      Object.hasOwn(properties, name) ? withTexts(field, properties[name]) : field,
    ]),
  );
}
