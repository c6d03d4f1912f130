import { listSchema } from "@toolpacks/core";
import { z } from "zod";

export const filesPage = listSchema(z.object({ path: z.string() })).extend({
  partial: z.boolean().optional().describe("not everything was searched: total is a lower bound"),
});

export type FilesPage = z.output<typeof filesPage>;
