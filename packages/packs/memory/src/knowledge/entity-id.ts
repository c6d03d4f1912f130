import { createHash } from "node:crypto";
import { isRecordId } from "@toolpacks/store";
import { ToolError } from "@toolpacks/core";

/**
 * The id of the entity with this name: the name in lower case, with Unicode width and spaces normalized. So names that differ only in these
 * have the same id. A name that is not a valid id gets a digest as its id.
 *
 * @throws ToolError `invalid_input` if the name has only spaces
 */
export function entityId(name: string): string {
  const folded = name.normalize("NFKC").toLowerCase().replaceAll(/\s+/g, " ").trim();
  if (folded === "") throw new ToolError("invalid_input", "name: expected more than spaces");
  if (isRecordId(folded)) return folded;
  return `name-${createHash("sha256").update(folded).digest("base64url")}`;
}
