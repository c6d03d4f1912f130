import path from "node:path";
import { z } from "zod";

/** Schema of an absolute path. Its JSON Schema admits the absolute paths of every platform. */
export const absolutePath = z
  .string()
  .regex(/^([A-Za-z]:)?[\\/]/, { error: "expected an absolute path", abort: true })
  .refine((text) => path.isAbsolute(text), "expected an absolute path");
