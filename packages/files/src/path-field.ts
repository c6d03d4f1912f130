import { z } from "zod";

/** The schema of a path argument. The roots decide which paths are allowed. */
export const pathField = z.string().min(1).max(4096);
