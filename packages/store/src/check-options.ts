import { ToolError, type PatchOptions, type PutOptions } from "@toolpacks/core";
import { isName, maxIdLength } from "./record-id.ts";

export function checkOptions({ id, ifGeneration, operationId, patch }: PutOptions | PatchOptions): void {
  if (id !== undefined) checkName("id", id, maxIdLength);
  if (operationId !== undefined) checkName("operationId", operationId, 200);
  if (patch === true && id === undefined) throw new ToolError("invalid_input", "id: required to patch");
  if (ifGeneration !== undefined && !(Number.isSafeInteger(ifGeneration) && ifGeneration >= 0)) {
    throw new ToolError("invalid_input", `ifGeneration: expected a whole number from 0, received ${ifGeneration}`);
  }
}

/** Id of the workspace with the server's own records. No caller can name it. */
export const internalWorkspace = "toolpacks:internal";

/** Id of the workspace with records that are of use in their own store only. No caller can name it, and archives leave it out. */
export const localWorkspace = "toolpacks:local";

export function isReserved(workspace: string): boolean {
  return workspace === internalWorkspace || workspace === localWorkspace;
}

export function checkName(what: string, name: string, maxLength: number): string {
  if (what === "workspace" && isReserved(name)) {
    throw new ToolError("invalid_input", `workspace: ${JSON.stringify(name)} is reserved; use another id`);
  }
  if (typeof name === "string" && isName(name, maxLength)) return name;
  throw new ToolError(
    "invalid_input",
    `${what}: expected 1 to ${maxLength} characters, none of them a control character`,
  );
}
