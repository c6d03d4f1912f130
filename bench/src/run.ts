// `pnpm bench`: every figure beside a bare SDK server in the same run. Quote ratios; milliseconds are this machine's.
import { measureCalls } from "./call.ts";
import { measureStartUp } from "./start-up.ts";

await measureStartUp();
await measureCalls();
process.exit(0);
