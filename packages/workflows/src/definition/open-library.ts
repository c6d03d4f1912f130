import { isObject } from "@toolpacks/core";
import { z } from "zod";
import { createLibrary, type Library } from "./library.ts";
import { workflowSources } from "./workflow-source.ts";

/** Workflow sources, or a library of workflows. */
type Definitions = Library | Readonly<Record<string, unknown>>;

/** Opens a library. The error for an invalid workflow names its place. */
export const openLibrary = z
  .custom<Definitions>(isObject, { error: "expected workflows by name" })
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
