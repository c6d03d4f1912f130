/** `relay://<id>`, its older scheme, and either as `${relay://<id>#lines=10-20}`. Whether the relay knows it is another question. */
const handle = /^\s*(?:\$\{)?\s*(?:relay|internal):\/\/([^#}\s]*)/;

/** The id of a value that is a handle, or was meant as one. A text that merely contains one is none. */
function handleId(value: unknown): string | undefined {
  return typeof value === "string" ? handle.exec(value)?.[1] : undefined;
}

/** The ids of the handles in a value, at any depth. */
export function handlesIn(value: unknown): readonly string[] {
  const id = handleId(value);
  if (id !== undefined) return [id];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(handlesIn) : [];
}

/** The ids of the handles that a text mentions. */
export function handlesWithin(text: string): readonly string[] {
  return [...new Set([...text.matchAll(/\b(?:relay|internal):\/\/([\w-]+)/g)].map(([, id = ""]) => id))];
}
