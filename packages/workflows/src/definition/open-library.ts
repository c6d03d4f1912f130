import { z } from "zod";
import { createLibrary, type Library } from "./library.ts";
import { workflowSources } from "./workflow-source.ts";

/** What the pack takes: workflows as they are written down, or a library of them. */
type Definitions = Library | Readonly<Record<string, unknown>>;

/** Makes a library of what is none yet. What is wrong with the shape of a workflow is named with its place. */
export const openLibrary = z
  .custom<Definitions>((given) => typeof given === "object" && given !== null, { error: "expected workflows by name" })
  .transform((given, context): Library => {
    if (isLibrary(given)) return given;
    const parsed = workflowSources.safeParse(given);
    if (parsed.success) return createLibrary(parsed.data);
    context.issues.push(...(parsed.error.issues as z.core.$ZodRawIssue[]));
    return z.NEVER;
  });

function isLibrary(given: Definitions): given is Library {
  return typeof given["find"] === "function";
}
