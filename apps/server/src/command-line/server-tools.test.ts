import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { folder, run, testIo } from "../run-cli.fixture.ts";
import { runProgram } from "@toolpacks/command-line";
import { program } from "./commands.ts";

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

const cwd = folder({ "a.txt": "text\n" });
const ended = new AbortController();
let [url, serving] = ["", Promise.resolve(0)];
beforeAll(async () => {
  const port = await freePort();
  url = `http://127.0.0.1:${port}/mcp`;
  const args = [
    "serve",
    "--http",
    "--port",
    String(port),
    "--root",
    ".",
    "--store",
    path.join(cwd, "store.db"),
    "--log-level",
    "silent",
  ];
  serving = runProgram(testIo(args, { cwd, signal: ended.signal }).io, program);
  const isReady = () =>
    fetch(new URL("/readyz", url)).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 20));
});
afterAll(async () => {
  ended.abort("SIGTERM");
  expect(await serving).toBe(0);
});

const toolpacks = (...args: readonly string[]) => run(args, { env: { TOOLPACKS_URL: url } });

describe("a command with $TOOLPACKS_URL, or --url", () => {
  test("calls the tools of the running server by the same words, with the same results", async () => {
    const created = await toolpacks("issues", "create", "Mend the roof", "--labels", "house");
    expect(created).toMatchObject({ code: 0, stdout: expect.stringContaining("Mend the roof") });
    expect((await toolpacks("issue", "list", "--label", "house")).stdout).toMatch(/^id .*\n.*Mend the roof\n$/);
    expect((await run(["call", "issue_list", "--url", url])).stdout).toContain("Mend the roof");
    expect((await run(["fs", "read", "a.txt", "--url", url])).stdout).toBe("text\n");
    const { stdout } = await toolpacks("issues", "list", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ title: "Mend the roof" }], total: 1 });
    const { id } = JSON.parse(stdout).items[0];
    const comment = (...words: readonly string[]) => toolpacks("issues", "comment", ...words, "--actor", "ann");
    expect((await comment(id, "Bring a ladder")).stdout).toMatch(/\b1$/m);
    expect((await comment("--ids", id, "--text", "Twice")).stdout).toMatch(/\b2$/m);
    expect((await toolpacks("tool", "search", "read a file")).stdout).toContain("fs_read(");
  });

  test("fails as without one, and names a server that cannot be reached", async () => {
    expect(await toolpacks("issues", "show", "none")).toMatchObject({
      code: 1,
      stderr: 'not_found: id: there is no issue with the id "none"\nFind ids with issue_list.\n',
    });
    expect((await toolpacks("issues", "lst")).stderr).toContain("did you mean issues list?");
    expect((await toolpacks("isues", "list")).stderr).toContain("did you mean issues?");
    expect((await toolpacks("issues", "list", "--lable", "x")).code).toBe(2);
    const none = await run(["issues", "list", "--url", "http://127.0.0.1:1/mcp"]);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining("cannot be reached") });
  });

  test("prints the commands of a pack as far as the server finds them", async () => {
    expect((await toolpacks("issues", "--help")).stdout).toMatch(/ {2}list +List issues/);
  });
});
