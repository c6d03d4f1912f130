import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startModelEndpoint } from "@toolpacks/testkit";
import parseArgs from "string-argv";
import { describe, expect, test } from "vitest";
import { blockLabel, readmeBlocks } from "../../../scripts/readme/code-blocks.ts";
import { readCaseFile } from "./case-file.ts";
import { folder, run, toolpacks } from "./command/command.fixture.ts";

const blocks = readmeBlocks();
const markdown = blocks
  .filter(({ language }) => language === "markdown")
  .map((block) => [blockLabel(block), block] as const);
const lines = blocks
  .filter(({ language }) => language === "sh")
  .flatMap((block) => block.text.split("\n").map((line) => line.replace(/\s+#.*$/, "")))
  .filter((line) => /\btoolpacks-cases\b/.test(line));

test.each(markdown)("%s is a case file", (_, block) => {
  expect(readCaseFile(block.text, block.file)).toMatchObject({ expectation: expect.any(Object) });
});

/** The built server, in folderName of the one that `npx` would install. */
const server = { command: process.execPath, args: [toolpacks, "--root", "."] };

/** Creates a folder with the files that the lines name. */
function project(): string {
  const cwd = folder({ "my-prompt.md": "Hi.", ".mcp.json": JSON.stringify({ mcpServers: { files: server } }) });
  for (const folderName of ["cases", "examples/cases"]) {
    mkdirSync(path.join(cwd, folderName), { recursive: true });
    writeFileSync(path.join(cwd, folderName, "hello.md"), "Hi.");
  }
  return cwd;
}

describe("a shell line runs its prompts", () => {
  test("in at least five lines", () => expect(lines.length).toBeGreaterThan(4));

  test.each(lines)("%s", async (line) => {
    const endpoint = await startModelEndpoint(["Hello.", "Hello."]);
    const words = parseArgs(line);
    expect(words.slice(0, 2)).toEqual(["npx", "toolpacks-cases"]);
    const separator = words.indexOf("--");
    const flags = words.slice(2, separator === -1 ? undefined : separator);
    const command = separator === -1 ? [] : ["--", server.command, ...server.args];
    const env = { LOCAL_BASE_URL: endpoint.baseUrl, LOCAL_MODEL: "m" };
    const { code, stdout } = await run([...flags, ...command], { cwd: project(), env });
    await endpoint.close();
    expect(stdout).toMatch(/^RAN /m);
    expect(code).toBe(0);
  });
});
