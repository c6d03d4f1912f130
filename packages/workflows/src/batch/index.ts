export { checkBatch } from "./check-batch.ts";
export type { BatchCall, BatchOptions, BatchResult, CheckedBatch } from "./batch.ts";
export { fairShare } from "../report/fair-share.ts";
