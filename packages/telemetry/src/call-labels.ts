import { errorCodes, type CallEnd } from "@toolpacks/core";

const codes: ReadonlySet<string> = new Set(errorCodes);

/** `ok`, or the code of the failure. A pack in plain JavaScript may throw another code, which may be any text. */
export function outcomeOf({ outcome }: CallEnd): string {
  if (outcome.ok) return "ok";
  const { code } = outcome.failure;
  return codes.has(code) ? code : "internal";
}

const maxNameLength = 64;

/** A name or id that a client sent, with few characters of a plain alphabet. */
export function cleanName(name: string): string {
  return name.slice(0, maxNameLength).replaceAll(/[^\w.:/-]/g, "?");
}
