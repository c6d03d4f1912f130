import { shellQuote } from "@toolpacks/terminal";
import type { UpstreamPlan } from "./options.ts";

/** The fields of a plan that hints need. */
export type HintPlan = Pick<UpstreamPlan, "name" | "hintFlags"> & Partial<Pick<UpstreamPlan, "caller">>;

/** A `toolpacks` command for hints, as the user can type it. */
export function cliHint({ name, hintFlags, caller = "" }: HintPlan, command: "accept" | "sign-in" | "doctor"): string {
  const callerFlag = caller === "" ? [] : ["--caller", shellQuote(caller)];
  return ["toolpacks", command, ...(command === "doctor" ? [] : [name]), ...callerFlag, ...hintFlags].join(" ");
}

/** The error of a server to which the caller has not signed in. */
export function signInMessage({ name }: Pick<HintPlan, "name">): string {
  return `${name} requires a sign-in`;
}
