import { nearest, ToolError } from "@toolpacks/core";
import type { PlanField } from "./driver.ts";
import type { CompiledKind } from "./kind-layout.ts";

/** The indexed field at a path. @throws ToolError naming the indexed fields, when the path is none of them */
export function planField({ kind, fields }: CompiledKind, path: string, where: string): PlanField {
  if (path === "id" || path === "generation") return { path, type: "key" };
  const field = fields.get(path);
  if (field !== undefined) return field;
  const known = ["id", ...(where === "sort" ? ["generation"] : []), ...fields.keys()];
  const near = nearest(path, known)[0];
  const shown = JSON.stringify(path.slice(0, 64));
  throw new ToolError(
    "invalid_input",
    `${where}: ${shown} is not an indexed field of kind ${kind.name}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Indexed: ${known.join(", ")}.${advice(kind, path)}`,
  );
}

function advice({ text }: CompiledKind["kind"], path: string): string {
  if (path === "closed") return " Closed records come with includeClosed.";
  return text.includes(path) ? ` Search ${path} with text.` : "";
}
