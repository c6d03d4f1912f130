import { quoteName } from "@toolpacks/core";
import { z } from "zod";
import { visibleLines } from "../cut-text.ts";

/** A state in tool results. */
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

export function describeState({
  name,
  goal,
  memory,
  ...rest
}: StateFields & { note?: string | undefined }): StateFields {
  const { next, files, session, saved, archived } = rest;
  return {
    name,
    goal,
    memory,
    next,
    files,
    session,
    saved,
    archived,
  };
}

export function stateText({
  name,
  goal,
  memory,
  next = [],
  files = [],
  session,
  saved,
  archived,
}: StateFields): string {
  const details = [
    ...(saved === undefined ? [] : [`saved ${saved.slice(0, 16)}`]),
    ...(session === undefined ? [] : [`session ${quoteName(session)}`]),
    ...(archived === undefined ? [] : [`archived ${archived.slice(0, 10)}`]),
  ];
  return [
    `state ${quoteName(name)}${details.length === 0 ? "" : ` (${details.join(", ")})`}`,
    `goal: ${visibleLines(goal)}`,
    `memory: ${visibleLines(memory)}`,
    ...(next.length === 0 ? [] : ["next:", ...next.map((step) => `- ${visibleLines(step)}`)]),
    ...(files.length === 0 ? [] : [`files: ${files.map(quoteName).join(", ")}`]),
  ].join("\n");
}
