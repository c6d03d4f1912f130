import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test, describe } from "vitest";
import { printableJson, shellQuote } from "@toolpacks/terminal";
import { folder, run } from "../run-cli.fixture.ts";

/** Hostile text: ends a line, clears the screen, sets the title, reverses text, hides text, and fakes a success message. */
const hostile = "x\u001B[2J\u009B2J\u202E\u{E0041}\u200B\nno problems\n* default";
const invisible = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

interface Said {
  readonly stdout: string;
  readonly stderr: string;
}

function expectHarmless({ stdout, stderr }: Said): void {
  expect(stdout + stderr).not.toMatch(invisible);
  expect((stdout + stderr).split("\n")).not.toContain("* default");
}

/** A project whose folder has a hostile name, which shells read too. */
function hostileFolder(name = hostile): string {
  const directory = path.join(folder(), name);
  mkdirSync(directory);
  return directory;
}

describe.skipIf(process.platform === "win32")(
  "the output of a command cannot control a terminal or fake a line",
  () => {
    test.each(["doctor", "workspaces", "tools"])("the name of a folder: %s", async (command) => {
      const cwd = hostileFolder();
      writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify({ write: true }));
      if (command === "workspaces") {
        await run(["call", "--root", ".", "store_put", '{"kind": "note", "record": {"text": "x"}}'], { cwd });
      }
      const output = await run([command, ...(command === "workspaces" ? [] : ["--root", "."])], {
        cwd,
        isTrusted: false,
      });
      expectHarmless(output);
      expect(output.stdout + output.stderr).toContain(
        "x\\u{1b}[2J\\u{9b}2J\\u{202e}\\u{e0041}\\u{200b}\\u{a}no problems",
      );
    });

    test.each([
      ["an unknown key", { [hostile]: 1 }],
      ["a name to expose", { expose: [hostile] }],
      ["the name of a pack", { packs: { [hostile]: true } }],
      ["the name of a server", { mcpServers: { [hostile]: { command: "no-such-command" } } }],
    ])("%s: doctor and the error of another command", async (_, config) => {
      const cwd = folder({ "toolpacks.config.json": JSON.stringify(config) });
      for (const command of ["doctor", "tools"]) {
        const output = await run([command, "--root", "."], { cwd });
        expectHarmless(output);
        expect(output.stdout.split("\n")).not.toContain("no problems");
        const trusted = await run(["trust", "--yes"], {
          cwd,
          env: { XDG_CONFIG_HOME: folder(), XDG_DATA_HOME: folder() },
        });
        expectHarmless(trusted);
      }
    });

    test("the names and commands of a client's servers", async () => {
      const cwd = folder({
        ".mcp.json": JSON.stringify({ mcpServers: { [hostile]: { command: "echo", args: [hostile] } } }),
      });
      const output = await run(["import-clients", "--shared"], {
        cwd,
        env: { HOME: folder(), XDG_CONFIG_HOME: folder() },
      });
      expectHarmless(output);
      expect(output.stdout).toContain("  x\\u{1b}[2J");
    });

    test("JSON output escapes invisible characters and keeps its meaning", () => {
      const text = printableJson({ [hostile]: [hostile] }, 2);
      expect(text).not.toMatch(invisible);
      expect(JSON.parse(text)).toEqual({ [hostile]: [hostile] });
    });

    test("every command prints through print.ts", () => {
      const sourceFolder = path.join(import.meta.dirname, "..");
      const sources = globSync("**/*.ts", { cwd: sourceFolder }).filter(
        (file) => !/\.(test|fixture)\.ts$/.test(file) && !["print.ts", "claim-stdout.ts", "cli.ts"].includes(file),
      );
      const writes = sources.flatMap((file) => {
        const source = readFileSync(path.join(sourceFolder, file), "utf8");
        return /std(out|err)\.write\((?!"",)|console\./.test(source) ? [file] : [];
      });
      expect(writes).toEqual([]);
    });
  },
);

test("words are quoted for PowerShell on Windows", () => {
  expect(shellQuote("C:\\work\\a-b.json", "win32")).toBe("C:\\work\\a-b.json");
  expect(shellQuote("C:\\a b & $(calc) `x` \u201D", "win32")).toBe('"C:\\a b & `$(calc) ``x`` `\u201D"');
  expect(shellQuote("~", "linux")).toBe("'~'");
});
