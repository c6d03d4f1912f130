import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { describe, expect, test } from "vitest";
import { cli } from "../command.process.fixture.ts";
import { homeWith } from "./import-home.fixture.ts";

const script = "/usr/bin/script";
const cursor = ".cursor/mcp.json";
const enter = "\r";

/** Runs `init` on a terminal, and answers each question when it appears. */
async function answer(
  home: ReturnType<typeof homeWith>,
  answers: readonly (readonly [question: string, keys: string])[],
) {
  // The terminal of `script` has no size, and prompts wrap each character.
  const command = `/usr/bin/stty cols 120 rows 40; ${process.execPath} ${cli} init`;
  const child = spawn(script, ["-qec", command, "/dev/null"], {
    cwd: home.project,
    env: { ...process.env, ...home.env, PATH: home.project, TERM: "xterm", SHELL: "/bin/sh" },
  });
  let output = "";
  const left = [...answers];
  child.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    const [next] = left;
    if (next === undefined || !stripVTControlCharacters(output).includes(next[0])) return;
    left.shift();
    // The prompt reads keys once it has drawn itself.
    setTimeout(() => child.stdin.write(next[1]), 100);
  });
  const code = await new Promise((resolve) => child.once("exit", resolve));
  return { code, output: stripVTControlCharacters(output), unanswered: left };
}

describe.skipIf(!existsSync(script))("init on a terminal", { timeout: 30_000 }, () => {
  test("asks for clients, folders, packs and writing, shows the diff, and writes after a yes", async () => {
    const home = homeWith(() => ({ [cursor]: { mcpServers: {} } }));
    const { code, output, unanswered } = await answer(home, [
      ["Clients to set up", enter],
      ["Folders whose files", enter],
      ["Packs to serve", ` ${enter}`],
      ["May the tools change files?", "y"],
      ["Write these changes?", "y"],
    ]);
    expect(unanswered).toEqual([]);
    expect(output).toContain("toolpacks answers with");
    expect(code).toBe(0);
    expect(home.servers(cursor)["toolpacks"]?.args?.slice(1)).toEqual([
      "--root",
      home.project,
      "--write",
      "--deny",
      "filesystem",
    ]);
  });

  test.each([
    [
      "a no",
      [
        ["Clients to set up", enter],
        ["Folders", enter],
        ["Packs", enter],
        ["May the", "n"],
        ["Write these", "n"],
      ],
      0,
    ],
    ["Ctrl+C", [["Clients to set up", "\u0003"]], 1],
  ] as const)("changes nothing after %s", async (_, answers, expected) => {
    const home = homeWith(() => ({ [cursor]: { mcpServers: {} } }));
    const { code, output } = await answer(home, answers);
    expect(output.toLowerCase()).toContain("nothing was changed");
    expect(code).toBe(expected);
    expect(home.servers(cursor)).toEqual({});
    expect(existsSync(path.join(home.directory, "data/toolpacks/client-changes.json"))).toBe(false);
  });
});

describe.skipIf(process.platform !== "linux")("init --yes", { timeout: 30_000 }, () => {
  test("starts each entry once, and --undo removes it", async () => {
    const home = homeWith(() => ({ [cursor]: { mcpServers: {} }, ".codex/config.toml": "a = 1\n" }));
    const { code, stdout } = await home.toolpacks("init", "cursor", "codex", "--yes");
    expect(stdout).toMatch(/Cursor: toolpacks answers with [1-9]\d* tools\nCodex: toolpacks answers with /);
    expect(code).toBe(0);
    expect((await home.toolpacks("init", "--undo")).code).toBe(0);
    expect(home.read(".codex/config.toml")).toBe("a = 1\n");
  });

  test("reports an entry whose server does not start", async () => {
    const own = { command: process.execPath, args: [cli], env: { TOOLPACKS_SURFACE: "x" } };
    const home = homeWith(() => ({ [cursor]: { mcpServers: { own } } }));
    const { code, stderr } = await home.toolpacks("init", "cursor", "--yes");
    expect(code).toBe(1);
    expect(stderr).toMatch(/Cursor: own does not answer: .+/);
  });
});
