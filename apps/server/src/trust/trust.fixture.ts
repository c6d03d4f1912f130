import { existsSync } from "node:fs";
import path from "node:path";
import { folder, run } from "../run-cli.fixture.ts";
import { connectServer } from "../serve.fixture.ts";

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

/** Connects a client to a server that trusts only what is recorded. */
export async function session(flags: readonly string[], cwd: string): Promise<Session> {
  const { client, server } = await connectServer(flags, { cwd, isTrusted: false });
  let listChanges = 0;
  client.setNotificationHandler("notifications/tools/list_changed", () => void (listChanges += 1));
  return {
    stderr: server.stderr,
    listChanges: () => listChanges,
    call: async (name, args = {}) =>
      JSON.stringify(await client.callTool({ name: "tool_invoke", arguments: { name, args } })),
    async end() {
      await client.close();
      await server.ended;
    },
  };
}

interface Session {
  readonly stderr: () => string;
  /** Number of notifications that the list of tools has changed. */
  readonly listChanges: () => number;
  readonly call: (name: string, args?: object) => Promise<string>;
  readonly end: () => Promise<void>;
}

/** Runs a command that reads the config file and mounts what it names, without `--trust`. */
export const tools = (cwd: string, ...flags: readonly string[]) => run(["tools", ...flags], { cwd, isTrusted: false });
