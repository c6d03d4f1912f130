import type { UpstreamPlan } from "./options.ts";

/** A command of `toolpacks` about a server, as whoever reads a hint can type it. */
export function ownCommand(
  { name, hintFlags }: Pick<UpstreamPlan, "name" | "hintFlags">,
  command: "accept" | "sign-in",
): string {
  return ["toolpacks", command, name, ...hintFlags].join(" ");
}
