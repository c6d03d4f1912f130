import { z } from "zod";

export const overwriteField = z.boolean().optional().describe("replace what exists");
