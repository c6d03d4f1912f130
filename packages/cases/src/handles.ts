import { handleIn } from "@toolpacks/core";

const parts = /^(?:relay|internal):\/\/([^#/]*)/;

/** The ids of the handles in a value, at any depth, whether the relay knows them or not. A text that merely contains one has none. */
export function handlesIn(value: unknown): readonly string[] {
  const handle = handleIn(value);
  if (handle !== undefined) return [parts.exec(handle)?.[1] ?? ""];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(handlesIn) : [];
}

/** The ids of the handles that a text mentions. */
export function handlesWithin(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\b(?:relay|internal):\/\/([\w-]+)/g)].map(([, id = ""]) => id))];
}
