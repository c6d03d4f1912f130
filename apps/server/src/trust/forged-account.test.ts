import path from "node:path";
import { writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

const untrusted = { isTrusted: false } as const;

/** What `toolpacks trust` shows of a project whose `mcpServers` these are. */
async function shownServers(mcpServers: object): Promise<string> {
  const cwd = folder({ "toolpacks.config.json": JSON.stringify({ mcpServers }) });
  return (await run(["trust", "--yes"], { cwd })).stdout;
}

describe("toolpacks trust shows what would be used", () => {
  const api = "https://api.example.com/mcp";
  test.each([
    [
      "json",
      `{"mcpServers":{"x":{"__proto__":{"url":"${api}"},"httpUrl":"http://127.0.0.1:9/"}}}`,
      "mcpServers.x.__proto__",
    ],
    [
      "jsonc",
      `{"packs":{"workflows":{"models":{"default":{"__proto__":{"url":"${api}"}}}}}}`,
      "packs.workflows.models.default.__proto__",
    ],
    [
      "yaml",
      `mcpServers:\n  x:\n    auth:\n      "__proto__": {token: "\${SECRET}"}\n    url: ${api}\n`,
      "mcpServers.x.auth.__proto__",
    ],
    [
      "toml",
      `[mcpServers.x]\nhttpUrl = "${api}"\n[mcpServers.x.__proto__]\nurl = "${api}"\n`,
      "mcpServers.x.__proto__",
    ],
    ["json", `{"__proto__":{"write":true}}`, "__proto__"],
    ["json", `{"workflows":{"__proto__":{"w":{"steps":[]}}}}`, "workflows.__proto__"],
  ])("a key __proto__ in %s holding %.60j is refused and its place is named", async (extension, text, place) => {
    const name = `toolpacks.config.${extension}`;
    const cwd = folder({ [name]: text });
    const expected = `${path.join(cwd, name)}: ${place}: this key is not allowed`;
    for (const args of [["trust", "--yes"], ["tools"], ["tools", "--trust"]]) {
      const { stderr, code } = await run(args, { cwd, ...untrusted });
      expect([code, stderr]).toEqual([2, expect.stringContaining(expected)]);
    }
  });

  test("the address that is used, beside an empty one", async () => {
    const shown = await shownServers({ docs: { url: "", serverUrl: "http://127.0.0.1:9/evil" } });
    expect(shown).toContain("  mcpServers.docs: connects to http://127.0.0.1:9/evil\n");
  });

  test("every address and the program of an unusable block", async () => {
    const shown = await shownServers({ docs: { url: "${A}", serverUrl: "http://127.0.0.1:9/evil", command: "sh" } });
    expect(shown).toContain(
      '{"url":"${A}","serverUrl":"http://127.0.0.1:9/evil","command":"sh"}, which cannot be used',
    );
  });

  test("a whole command, also with many spaces before its end", async () => {
    const shown = await shownServers({
      x: { command: "sh", args: ["-c", `true #${" ".repeat(9_000)}\ntouch canary`] },
    });
    expect(shown).toContain(String.raw`starts the program sh -c 'true # (9000 spaces) \u{a}touch canary'`);
  });

  test("a command whose name looks like another command with arguments", async () => {
    const command = "npx -y @scope/server";
    expect(await shownServers({ x: { command, args: ["."] } })).toContain(
      "starts the program 'npx -y @scope/server' .\n",
    );
    expect(await shownServers({ x: { command: "npx", args: ["-y", "@scope/server", "."] } })).toContain(
      "starts the program npx -y @scope/server .\n",
    );
  });

  test("an argument after blank characters that are not spaces", async () => {
    const shown = await shownServers({
      x: { command: "sh", args: [`a${"\u2800".repeat(3_000)}b`, `c${"\u0489".repeat(200)}d`] },
    });
    expect(shown).toContain("'a (3000 spaces) b' 'c (200 spaces) d'");
  });

  test("an argument over 10,000 characters, which is never passed to a program", async () => {
    const args = ["-c", `touch canary #${"x".repeat(20_000)}`, "the end"];
    const cwd = folder();
    writeFileSync(
      path.join(cwd, "toolpacks.config.json"),
      JSON.stringify({ mcpServers: { x: { command: "sh", args } } }),
    );
    const reason = "args.1: expected at most 10000 characters, received 20014";
    const { stdout } = await run(["trust", "--yes"], { cwd });
    expect(stdout).toContain('"the end"]}, which cannot be used');
    expect(stdout).toContain(reason);
    expect((await run(["doctor"], { cwd, ...untrusted })).stdout).toContain(`mcpServers.x is left out: ${reason}`);
  });
});
