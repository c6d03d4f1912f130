import { createHash } from "node:crypto";
import { isRecordId, ToolError } from "@toolpacks/core";

/**
 * The id of the entity with this name: the name itself, folded, so that one thing is not remembered twice under two spellings
 * that differ in case, width or spaces. A name that cannot be an id is known by its digest.
 *
 * @throws ToolError `invalid_input` for a name of nothing but spaces
 */
export function entityId(name: string): string {
  const folded = name.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
  if (folded === "") throw new ToolError("invalid_input", "name: expected more than spaces");
  if (isRecordId(folded)) return folded;
  return `name-${createHash("sha256").update(folded).digest("base64url")}`;
}
