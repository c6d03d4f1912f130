import { isDeepStrictEqual } from "node:util";
import { isObject } from "@toolpacks/core";
import type { WantedArgs } from "../expectation.ts";
import { isDelimited, readPattern } from "../pattern.ts";

/** Compares arguments with the expected ones, and describes each mismatch. Arguments without an expectation may be anything. */
export function wrongArgs(wanted: WantedArgs, args: unknown): readonly string[] {
  return compare(wanted, args, "");
}

function compare(wanted: unknown, found: unknown, path: string): readonly string[] {
  if (isObject(wanted) && isObject(found)) {
    return Object.entries(wanted).flatMap(([name, inner]) =>
      compare(inner, Object.hasOwn(found, name) ? found[name] : undefined, path === "" ? name : `${path}.${name}`),
    );
  }
  if (Array.isArray(wanted) && Array.isArray(found) && wanted.length === found.length)
    return wanted.flatMap((inner, at) => compare(inner, found[at], `${path}[${at}]`));
  if (matches(wanted, found)) return [];
  const was = found === undefined ? "was missing" : `was ${shown(found)}`;
  return [`${path || "arguments"}: expected ${shown(wanted)}, ${was}`];
}

function matches(wanted: unknown, found: unknown): boolean {
  if (typeof wanted === "string" && typeof found === "string" && isDelimited(wanted)) {
    const pattern = readPattern(wanted);
    return "mismatch" in pattern && pattern.mismatch(found) === undefined;
  }
  return isDeepStrictEqual(wanted, found);
}

const maxShownLength = 80;

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > maxShownLength ? `${text.slice(0, maxShownLength).toWellFormed()}…` : text;
}
