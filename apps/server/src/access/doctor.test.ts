import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { folder, run } from "../command.fixture.ts";
import { listen } from "./oidc-issuer.fixture.ts";

/** Runs doctor with an `http` block in the config file. */
async function doctor(cwd: string, http: object) {
  writeFileSync(path.join(cwd, "toolpacks.config.json"), JSON.stringify({ http }));
  const { code, stdout } = await run(["doctor"], { cwd });
  return { code, lines: stdout.split("\n").filter((line) => /^(callers|note|PROBLEM|no problems)/.test(line)) };
}

test("doctor names how callers are authenticated, the number of tokens, and expired ones", async () => {
  const cwd = folder();
  const file = path.join(cwd, "tokens.json");
  await run(["tokens", "add", "ci", "--file", file], { cwd });
  await run(["tokens", "add", "old", "--expires", "1m", "--file", file], { cwd });
  writeFileSync(
    file,
    readFileSync(file, "utf8").replace(/"expiresAt": "[^"]*"/, '"expiresAt": "2020-01-01T00:00:00Z"'),
  );
  expect(await doctor(cwd, { tokens: "tokens.json" })).toEqual({
    code: 0,
    lines: [`callers over HTTP: 2 tokens of ${file}`, `note: ${file}: expired tokens: "old"`, "no problems"],
  });
  chmodSync(file, 0o666);
  const unsafe = await doctor(cwd, { tokens: "tokens.json" });
  expect(unsafe).toMatchObject({ code: 1, lines: [expect.stringMatching(/^PROBLEM: http\.tokens: .*chmod 600/)] });
  const missing = await doctor(cwd, { tokens: "nowhere.json" });
  expect(missing.lines).toEqual([expect.stringMatching(/^PROBLEM: http\.tokens: .*there is no such token file$/)]);
});

test("doctor checks the authorization server", async () => {
  const origin = await listen((request, response) => {
    const metadata = { issuer: origin, jwks_uri: `${origin}/keys` };
    response.end(JSON.stringify(request.url === "/keys" ? { keys: [] } : metadata));
  });
  const scopes = { issues: { facets: ["issues"] }, look: { readOnly: true } };
  const cwd = folder();
  const callers = (issuer: string) =>
    `callers over HTTP: access tokens of ${issuer} with one of the scopes issues, look`;
  expect(await doctor(cwd, { oauth: { issuer: origin, scopes } })).toEqual({
    code: 0,
    lines: [callers(origin), "no problems"],
  });
  const issuer = `${origin}/`;
  expect(await doctor(cwd, { oauth: { issuer, scopes } })).toEqual({
    code: 1,
    lines: [callers(issuer), expect.stringMatching(/^PROBLEM: http\.oauth: .* names the issuer .*, expected /)],
  });
});
