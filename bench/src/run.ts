// `pnpm bench`: every figure beside a bare SDK server in the same run. Quote ratios; milliseconds are this machine's.
import { measureCalls } from "./call.ts";
import { measureStartUp } from "./start-up.ts";
import { measureUpstream } from "./upstream.ts";

await measureStartUp();
await measureCalls();
await measureUpstream();
process.exit(0);
