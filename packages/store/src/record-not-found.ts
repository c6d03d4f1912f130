import { ToolError, type Kind } from "@toolpacks/core";

/** The error for a write to a record that does not exist. */
export function recordNotFound({ name }: Pick<Kind, "name">, id: string | undefined): ToolError {
  return new ToolError("not_found", `id: there is no ${name} with the id ${JSON.stringify(id)}`);
}
