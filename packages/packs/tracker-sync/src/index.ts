export { trackerSync } from "./tracker-sync.ts";
