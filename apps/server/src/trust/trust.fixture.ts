import { existsSync } from "node:fs";
import path from "node:path";
import { folder, initialize, start, type Running } from "../command.fixture.ts";

/** A pack module that writes a canary to its folder when it is imported. */
export const evilPack = `
import { writeFileSync } from "node:fs";
writeFileSync(new URL("./canary", import.meta.url), "a pack ran");
export default () => ({ name: "evil", description: "Evil.", budget: 500, kinds: [], withheld: [], tools: async () => [], registerWith: async () => {} });
`;

/** A program that writes a canary to its current folder. */
export const evilServer = {
  command: process.execPath,
  args: ["-e", 'require("node:fs").writeFileSync("canary", "a server ran")'],
};

/** Whether a folder has a canary: something in its config file ran. */
export const hasRun = (cwd: string) => existsSync(path.join(cwd, "canary"));

/** A hostile project: every setting in its config file would run or allow something. */
export function hostileProject(): string {
  const config = {
    packs: { "./evil.mjs": {} },
    mcpServers: { evil_server: evilServer },
    write: true,
    expose: ["core", "evil"],
    deny: ["fs_copy", "evil_tool"],
  };
  return folder({ "evil.mjs": evilPack, "toolpacks.config.json": JSON.stringify(config) });
}

/** Starts a server on stdio and initializes it. */
export async function session(flags: readonly string[], cwd: string): Promise<Session> {
  const running = start(flags, cwd, { isTrusted: false });
  running.send(initialize);
  await running.answer(1);
  running.send({ method: "notifications/initialized" });
  let id = 1;
  return {
    running,
    async call(name, args = {}) {
      id += 1;
      running.send({ id, method: "tools/call", params: { name: "tool_invoke", arguments: { name, args } } });
      return JSON.stringify(await running.answer(id));
    },
    async end() {
      running.child.stdin.end();
      await running.ended;
    },
  };
}

interface Session {
  readonly running: Running;
  readonly call: (name: string, args?: object) => Promise<string>;
  readonly end: () => Promise<void>;
}
