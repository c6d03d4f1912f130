import { definePack, isObject } from "@toolpacks/core";
import { z } from "zod";
import type { Undo } from "./create-undo.ts";

/** The undo pack: shows what calls have changed, and takes it back. `createUndo` keeps what its tools need. */
export const undo = definePack({
  name: "undo",
  description: "What calls have changed in files and records, and taking it back.",
  budget: 250,
  options: z.strictObject({
    undo: z.custom<Undo>((value) => isObject(value) && "interceptor" in value, "expected the result of createUndo"),
  }),
  async tools({ undo: kept }) {
    const [{ undoTool }, { undoList }] = await Promise.all([import("./undo-tool.ts"), import("./undo-list.ts")]);
    return [undoTool(kept), undoList(kept)];
  },
});
