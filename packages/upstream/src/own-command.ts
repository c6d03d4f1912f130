import type { UpstreamPlan } from "./options.ts";

type Told = Pick<UpstreamPlan, "name" | "hintFlags">;

/** A command of `toolpacks`, as whoever reads a hint can type it. */
export function ownCommand({ name, hintFlags }: Told, command: "accept" | "sign-in" | "doctor"): string {
  return ["toolpacks", command, ...(command === "doctor" ? [] : [name]), ...hintFlags].join(" ");
}
