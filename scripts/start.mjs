// `pnpm start`: installs, builds and shows the product.
import { spawnSync } from "node:child_process";
import { install, phase } from "./phase.mjs";

await install();
await phase("Building", ["run", "build"]);
// The Node of the dependencies runs TypeScript, whatever this one is.
const { status } = spawnSync("node", ["scripts/demo/demo.ts"], {
  stdio: "inherit",
  shell: process.platform === "win32",
});
process.exit(status ?? 1);
