import path from "node:path";
import { z } from "zod";

/** Schema of absolute paths, by default none. Its JSON Schema admits the absolute paths of every platform. */
export const absolutePaths = z
  .array(
    z
      .string()
      .regex(/^([A-Za-z]:)?[\\/]/, { error: "expected an absolute path", abort: true })
      .refine((text) => path.isAbsolute(text), "expected an absolute path"),
  )
  .default([]);
