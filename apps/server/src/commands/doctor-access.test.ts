import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";
import { listen } from "@toolpacks/access/fixture";

/** Runs doctor with an `http` block in the config file. */
async function doctor(cwd: string, http: object) {
  writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify({ http }));
  const { code, stdout } = await run(["doctor"], { cwd });
  return { code, lines: stdout.split("\n").filter((line) => /^. (callers|note)|^✗|^no problems/.test(line)) };
}

test("doctor names how callers are authenticated, the number of tokens, and expired ones", async () => {
  const cwd = folder();
  const file = path.join(cwd, "tokens.json");
  const facets = ["--facets", "issues,memroy", "--tools", "issue_crate"];
  await run(["tokens", "add", "ci", ...facets, "--file", file], { cwd });
  await run(["tokens", "add", "old", "--expires", "1m", "--file", file], { cwd });
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(/"expiresAt": "[^"]*"/, '"expiresAt": "2020-01-01T00:00:00Z"'),
  );
  expect(await doctor(cwd, { tokens: "tokens.json" })).toEqual({
    code: 0,
    lines: [
      `! note: ${file}: expired tokens: "old"`,
      '! note: token "ci": facets: no facet is named "memroy" (did you mean "memory"?); tools: no tool is named "issue_crate" (did you mean "issue_create"?)',
      `✓ callers over HTTP: 2 tokens of ${file}`,
      expect.stringMatching(/^no problems/),
    ],
  });
  const byFlag = await run(["doctor", "--tokens", file], { cwd: folder() });
  expect(byFlag.stdout).toContain(`✓ callers over HTTP: 2 tokens of ${file}`);
  chmodSync(file, 0o666);
  const unsafe = await doctor(cwd, { tokens: "tokens.json" });
  expect(unsafe).toMatchObject({ code: 1, lines: [expect.stringMatching(/^✗ .*:1:10: http\.tokens: .*chmod 600/)] });
  const missing = await doctor(cwd, { tokens: "nowhere.json" });
  expect(missing.lines).toEqual([expect.stringMatching(/^✗ .*:1:10: http\.tokens: .*there is no such token file$/)]);
});

test("doctor checks the authorization server", async () => {
  const origin = await listen((request, response) => {
    const metadata = { issuer: origin, jwks_uri: `${origin}/keys` };
    response.end(JSON.stringify(request.url === "/keys" ? { keys: [] } : metadata));
  });
  const scopes = { issues: { facets: ["isues"] }, look: { readOnly: true } };
  const unknown = '! note: scope "issues": facets: no facet is named "isues" (did you mean "issues"?)';
  const cwd = folder();
  const callers = (issuer: string) =>
    `✓ callers over HTTP: access tokens of ${issuer} with one of the scopes issues, look`;
  expect(await doctor(cwd, { oauth: { issuer: origin, scopes } })).toEqual({
    code: 0,
    lines: [unknown, callers(origin), expect.stringMatching(/^no problems/)],
  });
  const issuer = `${origin}/`;
  expect(await doctor(cwd, { oauth: { issuer, scopes } })).toEqual({
    code: 1,
    lines: [
      expect.stringMatching(/^✗ .*:1:10: http\.oauth: .* names the issuer .*, expected /),
      unknown,
      callers(issuer),
    ],
  });
});
