import { handleIn } from "@toolpacks/core";

const parts = /^(?:relay|internal):\/\/([^#/]*)/;

/** Finds the ids of handles in a value, at any depth. A text counts only if the whole text is a handle. */
export function handlesIn(value: unknown): readonly string[] {
  const handle = handleIn(value);
  if (handle !== undefined) return [parts.exec(handle)?.[1] ?? ""];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(handlesIn) : [];
}

export function handlesInText(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\b(?:relay|internal):\/\/([\w-]+)/g)].map(([, id = ""]) => id))];
}
