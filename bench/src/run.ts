// `pnpm bench`: every figure compared with a bare SDK server in the same run. Quote ratios, because milliseconds depend on the machine.
import { measureCalls } from "./call.ts";
import { measureStartUp } from "./start-up.ts";
import { measureUpstream } from "./upstream.ts";

await measureStartUp();
await measureCalls();
await measureUpstream();
process.exit(0);
