import type { UpstreamPlan } from "./options.ts";

/** Of a plan, what an error or a hint says. */
export type HintPlan = Pick<UpstreamPlan, "name" | "hintFlags">;

/** A command of `toolpacks`, as whoever reads a hint can type it. */
export function cliHint({ name, hintFlags }: HintPlan, command: "accept" | "sign-in" | "doctor"): string {
  return ["toolpacks", command, ...(command === "doctor" ? [] : [name]), ...hintFlags].join(" ");
}
