import { z } from "zod";

/**
 * A string that holds JSON. A stored report may come from another program, so its kinds check what they keep as JSON text.
 *
 * @param schema of the value that the JSON holds. Default: any.
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
