import { Client as ModernClient } from "@modelcontextprotocol/client";
import { describe, expect, test } from "vitest";
import { folder } from "./command.fixture.ts";
import { serverTransport } from "./serve.fixture.ts";

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
    const args = ["--root", root, "--sdk", sdk, ...given];
    await client.connect(serverTransport(args, { cwd: root }));
    const list = { instructions: client.getInstructions(), ...(await client.listTools()) };
    const file = `../snapshots/${name}.sdk-${sdk}${pin === undefined ? "" : `.${pin}`}.json`;
    await expect(`${JSON.stringify(list, undefined, 2)}\n`).toMatchFileSnapshot(file);
    await client.close();
  });
});
