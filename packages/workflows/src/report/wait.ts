import { isObject, maskText } from "@toolpacks/core";
import { z } from "zod";

/** What a step of a waiting run waits for. */
export const waitSchema = z.object({
  step: z.string().max(900),
  question: z.string().max(10_000).optional(),
  choices: z.array(z.string()).optional(),
  schema: z.record(z.string(), z.unknown()).optional(),
  since: z.string().max(40),
  until: z.string().max(40).optional(),
  /** The issue that ends the wait when it is closed: of a question, its gate. */
  issue: z.string().max(200).optional(),
  /** Why the last answer to a question did not fit. */
  problem: z.string().max(2_000).optional(),
  /** The issues that an `issue` step made. */
  made: z.array(z.string().max(200)).max(100).optional(),
});

export type Wait = Readonly<z.output<typeof waitSchema>>;

/** The waits in a report. */
export function waitsOf({ waits }: { readonly waits?: string | undefined }): readonly Wait[] {
  return waits === undefined ? [] : z.array(waitSchema).parse(JSON.parse(waits));
}

/** Whether a person must answer it. */
export function isQuestion({ question }: Wait): boolean {
  return question !== undefined;
}

/** One line about a wait, with secrets masked. */
export function describeWait({ question, choices, schema, until, issue }: Wait): string {
  if (question === undefined) return issue === undefined ? `waits until ${until}` : `waits for issue ${issue}`;
  const fields = isObject(schema?.["properties"]) ? Object.keys(schema["properties"]) : [];
  const form = choices !== undefined ? ` (${choices.join(", ")})` : fields.length > 0 ? ` {${fields.join(", ")}}` : "";
  const end = until === undefined ? "" : `, until ${until}`;
  const gate = issue === undefined ? "" : `, gate ${issue}`;
  return `asks: ${maskText(question.slice(0, 1_000))}${form.slice(0, 500)}${end}${gate}`;
}

/** A wait as answers show it, with secrets masked. */
export function shownWait(wait: Wait): Wait {
  return { ...wait, question: wait.question && maskText(wait.question) };
}
