// Cost of `toolpacks relay`, compared with the server without a relay and with a relay of bytes.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { connect } from "./connection.ts";
import { measureWays } from "./ways.ts";

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url));
const official = (name: string) =>
  createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);

const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-bench-"));
const filesystem = [official("filesystem"), folder];
const calls = [
  { server: [official("everything")], name: "echo", arguments: { message: "hello" } },
  { server: filesystem, name: "list_allowed_directories", arguments: {} },
  { server: filesystem, name: "get_file_info", arguments: { path: path.join(folder, "small.txt") } },
  { server: filesystem, name: "read_text_file", arguments: { path: path.join(folder, "small.txt") } },
];

try {
  writeFileSync(path.join(folder, "small.txt"), "a small file\n".repeat(100));
  console.log(`one small call, in turn; ${cpus().length} cores`);
  for (const { server, ...call } of calls) {
    const cli = here("../../apps/server/dist/cli.js");
    const ways = {
      directly: server,
      "relay of bytes": [here("./relay.mjs"), ...server],
      "toolpacks relay": [cli, "relay", "--", process.execPath, ...server],
    };
    console.table(
      await measureWays(Object.entries(ways).map(([way, args]) => ({ way, start: () => connect(args), call }))),
    );
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
