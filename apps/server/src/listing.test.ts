import { Client as ModernClient } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { describe, expect, test } from "vitest";
import { cli, dataFolder, folder } from "./command.fixture.ts";

const flags: Readonly<Record<string, readonly string[]>> = {
  default: [],
  "expose-filesystem": ["--expose", "core,filesystem", "--write"],
  direct: ["--surface", "direct", "--write"],
  "direct-read-only": ["--surface", "direct", "--read-only"],
  "direct-text": ["--surface", "direct", "--results", "text"],
  auto: ["--surface", "auto", "--write"],
  facet: ["--facet", "filesystem"],
};

const eras = [
  ["1", undefined],
  ["2", undefined],
  ["2", "2026-07-28"],
] as const;

describe.each(eras)("on SDK %s, protocol %s", (sdk, pin) => {
  test.each(Object.entries(flags))("the %s list and instructions match the snapshot", async (name, given) => {
    const root = folder();
    const client = new ModernClient(
      { name: "test", version: "1.0.0" },
      pin === undefined ? {} : { versionNegotiation: { mode: { pin } } },
    );
    const args = [cli, "--root", root, "--sdk", sdk, ...given];
    await client.connect(
      new StdioClientTransport({ command: process.execPath, args, cwd: root, env: dataFolder, stderr: "ignore" }),
    );
    const list = { instructions: client.getInstructions(), ...(await client.listTools()) };
    const file = `../snapshots/${name}.sdk-${sdk}${pin === undefined ? "" : `.${pin}`}.json`;
    await expect(`${JSON.stringify(list, undefined, 2)}\n`).toMatchFileSnapshot(file);
    await client.close();
  });
});
