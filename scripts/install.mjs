// What `pnpm test` does first, so that it works in a fresh clone.
import { install } from "./phase.mjs";

await install();
