import type { Failure } from "@toolpacks/core";
import type { ToolChange } from "./acceptance.ts";
import type { UpstreamPlan } from "./options.ts";
import { ownCommand } from "./own-command.ts";

/** What a model reads of a pinned tool that is not as it was accepted. @param name what it is called here */
export function refusal(plan: UpstreamPlan, { what }: ToolChange, name: string): Failure {
  const is = what === "new" ? "is new" : `has another ${what}`;
  return {
    code: "denied",
    message: `${name} ${is} since the tools of ${plan.name} were accepted`,
    hint: `Whoever runs this server can look at it with ${ownCommand(plan, "doctor")}, and accept it: ${ownCommand(plan, "accept")}`,
  };
}
