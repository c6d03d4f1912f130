import { quoteName } from "@toolpacks/core";
import { z } from "zod";
import { visibleLines } from "../cut-text.ts";

export const stateFields = z.object({
  name: z.string(),
  goal: z.string(),
  memory: z.string(),
  next: z.array(z.string()).optional(),
  files: z.array(z.string()).optional(),
  session: z.string().optional(),
  saved: z.string().optional(),
  archived: z.string().optional(),
});

type StateFields = z.output<typeof stateFields>;

/** When a state was saved and archived, and its session, in brackets. */
export function stateDetails({ session, saved, archived }: Omit<StateFields, "memory">): string {
  const details = [
    ...(saved === undefined ? [] : [`saved ${saved.slice(0, 16)}`]),
    ...(session === undefined ? [] : [`session ${quoteName(session)}`]),
    ...(archived === undefined ? [] : [`archived ${archived.slice(0, 10)}`]),
  ];
  return details.length === 0 ? "" : ` (${details.join(", ")})`;
}

export function stateText(state: StateFields): string {
  const { name, goal, memory, next = [], files = [] } = state;
  return [
    `state ${quoteName(name)}${stateDetails(state)}`,
    `goal: ${visibleLines(goal)}`,
    `memory: ${visibleLines(memory)}`,
    ...(next.length === 0 ? [] : ["next:", ...next.map((step) => `- ${visibleLines(step)}`)]),
    ...(files.length === 0 ? [] : [`files: ${files.map(quoteName).join(", ")}`]),
  ].join("\n");
}
