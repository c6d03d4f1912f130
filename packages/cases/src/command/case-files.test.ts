import { existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { startModelEndpoint, type ModelEndpoint } from "@toolpacks/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { folder, run } from "./command.fixture.ts";

let endpoint: ModelEndpoint | undefined;
afterEach(() => endpoint?.close());

/** A repository whose `.env` chooses the endpoint. */
async function repository(answer = "Hello.") {
  endpoint = await startModelEndpoint(Array.from({ length: 8 }, () => answer));
  const cwd = folder({ ".env": `TOOLPACKS_MODEL_URL=${endpoint.baseUrl}\nTOOLPACKS_MODEL=m\n` });
  mkdirSync(path.join(cwd, "cases"));
  writeFileSync(path.join(cwd, "cases", "hello.md"), "Say hello.\n");
  return { cwd, asked: endpoint.asked, host: new URL(endpoint.baseUrl).host };
}

describe.skipIf(process.platform === "win32")("files that toolpacks-cases reads", () => {
  test("a link that leads out of the folder is not followed by a wildcard, and refused if it is named", async () => {
    const { cwd, asked } = await repository();
    const canary = path.join(folder({ "canary.txt": "CANARY" }), "canary.txt");
    symlinkSync(canary, path.join(cwd, "cases", "zz.md"));
    expect((await run(["cases/*.md"], { cwd })).code).toBe(0);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).not.toContain("CANARY");
    const { code, stdout, stderr } = await run(["cases/zz.md"], { cwd });
    expect([code, stdout, asked.length]).toEqual([2, "", 1]);
    expect(stderr).toContain(`cases/zz.md: cannot be read (a link leads out of ${cwd}; name the file that it leads to`);
    expect(stderr).not.toContain("CANARY");
    expect((await run([canary], { cwd })).code).toBe(0);
  });

  test("a folder behind a link is not read, neither by a wildcard nor by its name", async () => {
    const { cwd, asked } = await repository();
    const outside = folder({ "private.md": "CANARY" });
    symlinkSync(outside, path.join(cwd, "cases", "more"));
    expect((await run(["cases/**/*.md"], { cwd })).code).toBe(0);
    expect(asked).toHaveLength(1);
    expect(JSON.stringify(asked)).not.toContain("CANARY");
    const { code, stderr } = await run(["cases/more/*.md"], { cwd });
    expect(code).toBe(2);
    expect(stderr).toContain("leads out of");
    expect(asked).toHaveLength(1);
  });

  test("a link within the folder, and a folder elsewhere that the user names, are read", async () => {
    const { cwd, asked } = await repository();
    const outside = folder({ "other.md": "Say hello." });
    symlinkSync("hello.md", path.join(cwd, "cases", "linked.md"));
    expect((await run(["cases/hello.md", "cases/linked.md", `${outside}/*.md`], { cwd })).code).toBe(0);
    expect(asked).toHaveLength(3);
  });

  test("no server is started from a config file that is not named", async () => {
    const { cwd, asked } = await repository();
    const mcpServers = { a: { command: "touch", args: [path.join(cwd, "CANARY")] } };
    for (const name of ["toolpacks.config.json", ".mcp.json"]) {
      writeFileSync(path.join(cwd, name), JSON.stringify({ mcpServers }));
    }
    expect((await run(["cases/*.md"], { cwd })).code).toBe(0);
    const { code, stderr } = await run(["cases/*.md", "--server", "a"], { cwd });
    expect([code, stderr]).toEqual([2, expect.stringContaining("--server: expected --config <file>")]);
    expect([asked.length, existsSync(path.join(cwd, "CANARY"))]).toEqual([1, false]);
    await run(["cases/*.md", "--config", "toolpacks.config.json"], { cwd });
    expect(existsSync(path.join(cwd, "CANARY"))).toBe(true);
  });

  test("the host and the source of its address are printed before the first request", async () => {
    const { cwd, host } = await repository();
    const { stderr } = await run(["cases/*.md", "--json"], { cwd });
    expect(stderr).toBe(`prompts go to ${host}, an address that ${cwd}/.env sets\n`);
    const env = { TOOLPACKS_MODEL_URL: `http://${host}/v1`, TOOLPACKS_MODEL: "m" };
    const named = await run(["cases/*.md"], { cwd, env });
    expect(named.stderr).toBe(`prompts go to ${host}, an address that the environment sets\n`);
  });

  test.each([
    ["a FIFO", (file: string) => linkSync(process.env["TEST_FIFO"] ?? "", file), "not a regular file"],
    ["a large file", (file: string) => writeFileSync(file, "a".repeat(1_048_577)), "larger than 1048576 bytes"],
  ])("%s is refused at once", async (_, make, reason) => {
    const { cwd } = await repository();
    make(path.join(cwd, "cases", "b.md"));
    symlinkSync("b.md", path.join(cwd, "cases", "c.md"));
    for (const file of ["cases/b.md", "cases/c.md"]) {
      const { code, stderr } = await run([file], { cwd });
      expect(code).toBe(2);
      expect(stderr).toContain(`cannot be read (${reason})`);
    }
  });

  test("an expression that would backtrack is matched in linear time", { timeout: 15_000 }, async () => {
    const { cwd } = await repository(`${"a".repeat(5_000)}!`);
    writeFileSync(path.join(cwd, "cases", "hello.md"), '---\nanswer_matches: "^(a+)+$"\n---\nSay a.\n');
    const { code, stdout } = await run(["cases/*.md"], { cwd });
    expect(code).toBe(1);
    expect(stdout).toContain("answer_matches: it does not match ^(a+)+$");
  });
});
