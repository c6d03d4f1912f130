import { ToolError } from "@toolpacks/core";
import type { Judgement, OfferChange } from "./acceptance.ts";
import type { UpstreamPlan } from "./options.ts";
import { cliHint } from "./cli-hint.ts";

/** The tools or prompts of an offer that are held back until the user accepts them. */
export function heldBack(
  { changes }: Judgement,
  plan: UpstreamPlan,
  wanted: OfferChange["kind"],
): readonly OfferChange[] {
  return plan.changes === "hold" ? changes.filter(({ kind }) => kind === wanted) : [];
}

/** The error for a tool or prompt that is held back. @param name its name here */
export function refusal(plan: UpstreamPlan, { kind, parts }: OfferChange, name: string): ToolError {
  const is = parts.length === 0 ? "is new" : `has another ${parts.join(" and ")}`;
  return new ToolError(
    "denied",
    `${name} ${is} since the ${kind}s of ${plan.name} were accepted, and is held back`,
    `The user can compare with ${cliHint(plan, "doctor")}, and accept with ${cliHint(plan, "accept")}`,
  );
}
