import { detail, maxIdLength, ToolError } from "@toolpacks/core";
import { z } from "zod";

/** Bounds of `detail` fields: what their names say is not said again in every list. */
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
  .meta(detail("words to find it by"));

/** @throws ToolError when an id is given twice, which is a mistake in whatever made the call */
export function onlyOnce(ids: readonly string[]): readonly string[] {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice === undefined) return ids;
  throw new ToolError("invalid_input", `ids: ${twice} is given twice`);
}
