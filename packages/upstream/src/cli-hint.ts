import type { UpstreamPlan } from "./options.ts";

/** The fields of a plan that hints need. */
export type HintPlan = Pick<UpstreamPlan, "name" | "hintFlags">;

/** A `toolpacks` command for hints, as the user can type it. */
export function cliHint({ name, hintFlags }: HintPlan, command: "accept" | "sign-in" | "doctor"): string {
  return ["toolpacks", command, ...(command === "doctor" ? [] : [name]), ...hintFlags].join(" ");
}
