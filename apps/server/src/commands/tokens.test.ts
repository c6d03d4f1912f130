import { readFileSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

/** Runs `toolpacks tokens` with a settings folder of its own. */
function createRunner() {
  const [settings, cwd] = [folder(), folder()];
  const file = path.join(settings, "toolpacks/tokens.json");
  const tokens = (...args: readonly string[]) => run(["tokens", ...args], { cwd, env: { XDG_CONFIG_HOME: settings } });
  return { cwd, file, tokens, content: () => readFileSync(file, "utf8") };
}

const onlyToken = /^tp_[0-9a-f]{16}_[\w-]{43}\n$/;

describe("toolpacks tokens", () => {
  test("add prints the token alone on stdout, and keeps only its hash in a private file", async () => {
    const { cwd, file, tokens, content } = createRunner();
    const flags = ["--facets", "issues,memory", "--tools", "fs_read", "--read-only", "--root", "a", "--root", "/b"];
    const limits = ["--workspaces", "w1,w2", "--rate", "100/60s", "--expires", "90d"];
    const { code, stdout, stderr } = await tokens("add", "ci bot", ...flags, ...limits);
    expect(code).toBe(0);
    expect(stdout).toMatch(onlyToken);
    const [, id = "", secret = ""] = /^tp_(\w{16})_(.+)\n$/.exec(stdout) ?? [];
    expect(stderr).toContain(`created token "ci bot" (${id}): facets issues, memory; tools fs_read; read-only;`);
    expect(stderr).toContain(`serve --http --tokens ${file}`);
    expect(`${stderr}${content()}`).not.toContain(secret);
    if (process.platform !== "win32") expect(statSync(file).mode & 0o777).toBe(0o600);
    const [record] = (JSON.parse(content()) as { tokens: { createdAt: string; expiresAt: string }[] }).tokens;
    expect(record).toMatchObject({
      id,
      name: "ci bot",
      access: {
        facets: ["issues", "memory"],
        tools: ["fs_read"],
        readOnly: true,
        roots: [path.join(cwd, "a"), "/b"],
        workspaces: ["w1", "w2"],
        rate: { requests: 100, seconds: 60 },
      },
    });
    expect(Date.parse(record?.expiresAt ?? "") - Date.parse(record?.createdAt ?? "")).toBe(90 * 86_400_000);
  });

  test("list, rotate and revoke never show a secret or a hash of another token", async () => {
    const { tokens, content } = createRunner();
    expect((await tokens("list")).stdout).toMatch(/^no tokens in .*tokens\.json\n$/);
    const { stdout: first } = await tokens("add", "laptop", "--read-only");
    await tokens("add", "server");
    const [id = ""] = /[0-9a-f]{16}/.exec(first) ?? [];
    const hashes = content().match(/[0-9a-f]{64}/g) ?? [];
    const list = await tokens("list");
    expect(list.stdout).toMatch(new RegExp(`^laptop +${id} +\\d{4}-\\d\\d-\\d\\d +never +all tools; read-only$`, "m"));
    const asJson = await tokens("list", "--json");
    expect(JSON.parse(asJson.stdout)).toMatchObject([
      { id, name: "laptop", access: { readOnly: true } },
      { name: "server" },
    ]);
    for (const hidden of [first.slice(20).trim(), ...hashes]) expect(list.stdout + asJson.stdout).not.toContain(hidden);

    const rotated = await tokens("rotate", "laptop");
    expect(rotated.stdout).toMatch(onlyToken);
    expect(rotated.stdout).not.toBe(first);
    expect(JSON.parse((await tokens("list", "--json")).stdout)).toMatchObject([{ id, access: { readOnly: true } }, {}]);
    expect((await tokens("revoke", id)).stdout).toContain(`revoked "laptop" (${id})`);
    expect(JSON.parse((await tokens("list", "--json")).stdout)).toMatchObject([{ name: "server" }]);
  });

  test.each([
    [["add", "a\nb"], 2, /name: expected 1 to 100 printable characters/],
    [["add", " a"], 2, /name: expected/],
    [["add", "0123456789abcdef"], 2, /name: expected .* not the form of an id/],
    [
      ["add", "b", "--rate", "fast"],
      2,
      /--rate: expected requests per period, such as 100\/60s or 1000\/h, received fast/,
    ],
    [["add", "b", "--rate", "0/60s"], 2, /rate\.requests: expected at least 1/],
    [["add", "b", "--expires", "0d"], 2, /--expires: expected a number of minutes, hours or days/],
    [["add", "b", "--facets", ","], 2, /--facets: expected at least one name/],
    [["add", "laptop"], 1, /conflict: there is already a token with the name "laptop"/],
    [["revoke", "lapto"], 1, /not_found: there is no token "lapto", did you mean "laptop"\?/],
    [["rotate", "old"], 2, /--expires: required, because the token has expired/],
  ])("%j is refused, and changes nothing", async (args, code, expected) => {
    const { tokens, content, file } = createRunner();
    await tokens("add", "laptop");
    await tokens("add", "old", "--expires", "1m");
    const before = content().replace(/"expiresAt": "[^"]*"/, '"expiresAt": "2020-01-01T00:00:00Z"');
    writeFileSync(file, before);
    const result = await tokens(...args);
    expect(result).toMatchObject({ code, stdout: "", stderr: expect.stringMatching(expected) });
    expect(content()).toBe(before);
  });

  test("the file is changed by no tool", async () => {
    const config = JSON.stringify({ roots: ["."], write: true, http: { tokens: "tokens.json" } });
    const cwd = folder({ "toolpacks.config.json": config });
    await run(["tokens", "add", "a", "--file", "tokens.json"], { cwd });
    const before = readFileSync(path.join(cwd, "tokens.json"), "utf8");
    const write = (name: string) => run(["call", "fs_write", JSON.stringify({ path: name, content: "{}" })], { cwd });
    expect(await write("tokens.json")).toMatchObject({ code: 1, stderr: expect.stringMatching(/denied/) });
    expect(await write("other.json")).toMatchObject({ code: 0 });
    expect(readFileSync(path.join(cwd, "tokens.json"), "utf8")).toBe(before);
  });

  test("a damaged file is changed by no command", async () => {
    const cwd = folder({ "tokens.json": '{ "tokens": [{}] }' });
    for (const args of [["add", "a"], ["list"], ["rotate", "a"], ["revoke", "a"]]) {
      const result = await run(["tokens", ...args, "--file", "tokens.json"], { cwd });
      expect(result).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/tokens\[0\]\.id: required/) });
    }
    expect(readFileSync(path.join(cwd, "tokens.json"), "utf8")).toBe('{ "tokens": [{}] }');
  });
});
