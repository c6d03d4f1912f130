import { z } from "zod";

export const overwriteField = z.boolean().optional().describe("replace what exists");
export const parentsField = z.boolean().optional().describe("make missing folders");
export const parentsHint = "parents: true makes the folders of its path.";
