// What a second hop costs by itself: passes bytes between its client and the server that it starts, and reads none of them.
import { spawn } from "node:child_process";

const child = spawn(process.execPath, process.argv.slice(2), { stdio: ["pipe", "pipe", "ignore"] });
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.on("exit", () => process.exit(0));
