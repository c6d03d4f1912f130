import type { UpstreamPlan } from "./options.ts";

/** The fields of a plan that hints need. */
export type HintPlan = Pick<UpstreamPlan, "name" | "hintFlags"> & Partial<Pick<UpstreamPlan, "caller">>;

/** A `toolpacks` command for hints, as the user can type it. */
export function cliHint({ name, hintFlags, caller = "" }: HintPlan, command: "accept" | "sign-in" | "doctor"): string {
  const callerFlag = caller === "" ? [] : ["--caller", quoteArgument(caller)];
  return ["toolpacks", command, ...(command === "doctor" ? [] : [name]), ...callerFlag, ...hintFlags].join(" ");
}

/** Quotes an argument for a POSIX shell. */
function quoteArgument(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** The error of a server to which the caller has not signed in. */
export function signInMessage({ name }: Pick<HintPlan, "name">): string {
  return `${name} requires a sign-in`;
}
