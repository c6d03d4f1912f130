import { listedTools, type Pack } from "@toolpacks/core";
import { budgetProblems } from "./budget.ts";
import { descriptionProblems } from "./descriptions.ts";
import { effectProblems } from "./effects.ts";
import { exampleProblems, type ExampleCalls } from "./examples.ts";
import { nameProblems } from "./names.ts";
import { registrationProblems } from "./registration.ts";
import { inputLimitProblems, schemaProblems } from "./schemas.ts";

/** Finds all problems of a pack that can be found without calling a tool. */
export async function packProblems(
  pack: Pack,
  examples: ExampleCalls = {},
  prefixes: readonly string[] = [],
): Promise<readonly string[]> {
  const tools = await listedTools(pack);
  return [
    ...nameProblems(tools, prefixes),
    ...descriptionProblems(pack, tools),
    ...schemaProblems(tools),
    ...inputLimitProblems(tools),
    ...effectProblems(tools),
    ...(await exampleProblems(tools, examples)),
    ...(await budgetProblems(pack)),
    ...(await registrationProblems(pack)),
  ];
}
