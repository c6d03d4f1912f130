import { mayHoldSecret, maskValue } from "@toolpacks/core";
import { z } from "zod";

/**
 * A string that holds JSON. Stored reports may come from other programs, so their kinds validate it.
 *
 * @param schema of the JSON value. Default: any.
 */
export function jsonText(schema: z.ZodType = z.unknown()): z.ZodString {
  return z.string().check((context) => {
    const problem = jsonProblem(context.value, schema);
    if (problem !== undefined) context.issues.push({ code: "custom", message: problem, input: context.value });
  });
}

function jsonProblem(text: string, schema: z.ZodType): string | undefined {
  try {
    return schema.safeParse(JSON.parse(text)).success ? undefined : "the JSON in it has the wrong fields";
  } catch {
    return "expected JSON";
  }
}

/** Masks secrets in JSON. */
export function maskJson(json: string): string {
  return mayHoldSecret(json) ? JSON.stringify(maskValue(JSON.parse(json))) : json;
}
