import { z } from "zod";

/** A path as a caller gives it. What it may be is decided by the roots. */
export const pathField = z.string().min(1).max(4096);
