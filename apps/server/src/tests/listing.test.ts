import { Client as ModernClient } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { folder } from "../run-cli.fixture.ts";
import { serverTransport } from "../serve.fixture.ts";

const flags: Readonly<Record<string, readonly string[]>> = {
  default: [],
  "expose-filesystem": ["--expose", "core,filesystem", "--write"],
  direct: ["--surface", "direct", "--write"],
  "direct-read-only": ["--surface", "direct", "--read-only"],
  "direct-text": ["--surface", "direct", "--results", "text"],
  auto: ["--surface", "auto"],
  facet: ["--facet", "filesystem"],
};

const modern = "2026-07-28";

/** The default list as clients of each era see it, and the others as the newest do. */
const rows = Object.entries(flags).flatMap(([name, given]) =>
  (name === "default" ? [undefined, modern] : [modern]).map((pin) => ({ name, given, pin })),
);

test.each(rows)("the $name list and instructions over protocol $pin match the snapshot", async (row) => {
  const { name, given, pin } = row;
  const root = folder();
  const client = new ModernClient(
    { name: "test", version: "1.0.0" },
    pin === undefined ? {} : { versionNegotiation: { mode: { pin } } },
  );
  await client.connect(serverTransport(["--root", root, ...given], { cwd: root }));
  const list = { instructions: client.getInstructions(), ...(await client.listTools()) };
  const file = `../../snapshots/${name}${pin === undefined ? "" : `.${pin}`}.json`;
  await expect(`${JSON.stringify(list, undefined, 2)}\n`).toMatchFileSnapshot(file);
  await client.close();
});

test.each([
  ["discovery", [], "filesystem, search, issues, memory, planner, undo and workflows"],
  ["two-tool", ["--surface", "two-tool"], "filesystem, search, issues, memory, planner, undo and workflows"],
  ["direct", ["--surface", "direct"], "filesystem, search, issues, memory, planner, undo and workflows"],
  ["facet", ["--facet", "issues"], "issues"],
])(
  "the first sentence on %s says when to use the server, which is all that Copilot CLI shows",
  async (_, given, names) => {
    const root = folder();
    const client = new ModernClient({ name: "test", version: "1.0.0" });
    await client.connect(serverTransport(["--root", root, ...given], { cwd: root }));
    const shown = client.getInstructions()?.slice(0, 157) ?? "";
    expect(/^[^.]*[.]/.exec(shown)?.[0]).toBe(`Use this server for ${names}.`);
    await client.close();
  },
);
