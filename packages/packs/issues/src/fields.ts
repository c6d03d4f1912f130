import { detail, ToolError } from "@toolpacks/core";
import { maxIdLength } from "@toolpacks/store";
import { z } from "zod";

/** Input fields. `detail` descriptions are left out of tool lists where the field's name is clear. */
export const idField = z.string().min(1).max(maxIdLength).meta(detail("the issue's"));

const someId = z.string().min(1).max(maxIdLength).meta(detail("an issue's id"));

export const idsField = z.array(someId).min(1).max(100).meta(detail("of the issues, each once"));

export const actorField = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .meta(detail("who you are: a name that no other agent uses; default: the session's"));

export const labelsField = z
  .array(z.string().min(1).max(200).meta(detail("a label")))
  .max(200)
  .optional()
  .meta(detail("tags"));

/** @throws ToolError `invalid_input` if an id occurs twice, which is a mistake of the caller */
export function rejectDuplicates(ids: readonly string[]): readonly string[] {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice === undefined) return ids;
  throw new ToolError("invalid_input", `ids: ${twice} is given twice`);
}
