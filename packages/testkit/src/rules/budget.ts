import { measureBudget, type Pack } from "@toolpacks/core";
import { countTokens } from "../count-tokens.ts";

/** Checks that the pack's listed metadata is within its budget, in o200k tokens. */
export async function budgetProblems(pack: Pack): Promise<readonly string[]> {
  const report = await measureBudget(pack, countTokens);
  if (!report.isOverBudget) return [];
  const dearest = report.tools.toSorted((a, b) => b.tokens - a.tokens).slice(0, 3);
  const parts = dearest.map(({ name, tokens }) => `${name} ${tokens}`).join(", ");
  return [`pack ${pack.name}: budget: ${report.total} tokens, at most ${report.budget} (dearest: ${parts})`];
}
