import { expect, test } from "vitest";
import { folder, initialize, roughPack, start } from "./command.fixture.ts";

/** Prints in every possible way, and leaves a rejection unhandled. */
const loudPack = roughPack.replace(
  'console.log("printed by a tool");',
  `console.dir({ by: "dir" }); console.table([{ by: "table" }]); console.group("group"); console.count();
   process.stdout.write("printed by a tool\\n"); void Promise.reject(new Error("forgotten"));`,
);

test.each(["1", "2"])(
  "a pack's writes to stdout go to stderr, and the server keeps running, on SDK %s",
  async (sdk) => {
    const cwd = folder({ "loud.mjs": loudPack, "toolpacks.config.json": '{ "packs": { "./loud.mjs": {} } }' });
    const server = start(["--sdk", sdk], cwd);
    server.send(initialize);
    await server.answer(1);
    server.send({ method: "notifications/initialized" });
    server.send({ id: 2, method: "tools/call", params: { name: "tool_invoke", arguments: { name: "rough_print" } } });
    await server.answer(2);
    server.send({ id: 3, method: "ping" });
    await server.answer(3);
    server.child.stdin.end();
    expect(await server.ended).toBe(0);
    for (const line of server.output.stdout.split("\n").filter(Boolean)) {
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: "2.0" });
    }
    for (const word of ["dir", "table", "group", "printed by a tool", "forgotten"]) {
      expect(server.output.stderr).toContain(word);
    }
  },
);
