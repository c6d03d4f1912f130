import { readdirSync, readFileSync } from "node:fs";
import { chmod, mkdtemp, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterEach, describe, expect, test, vi } from "vitest";
import { ConfigurationError } from "@toolpacks/core";
import type { Access } from "./access.ts";
import type { Authenticator, Caller, Refusal } from "./authenticator.ts";
import { httpSettings, keptLog } from "./http-settings.fixture.ts";
import { openAuthenticator } from "./open-authenticator.ts";
import { changeTokens, type TokenRecord } from "./token-file.ts";
import { createToken } from "./token.ts";

/** In ms. A timer may fire a little early. */
const oneSecond = 1_020;

const opened: Authenticator[] = [];
afterEach(async () => void (await Promise.all(opened.splice(0).map((one) => one.close()))));

const newFile = async () => path.join(await mkdtemp(path.join(tmpdir(), "toolpacks-tokens-")), "tokens.json");

function newRecord(name: string, access: Access = {}, more: Partial<TokenRecord> = {}) {
  const { token, ...secret } = createToken();
  return { token, record: { ...secret, name, access, createdAt: new Date().toISOString(), ...more } };
}

/** A token file with these tokens. */
async function fileWith(...records: readonly TokenRecord[]): Promise<string> {
  const file = await newFile();
  await changeTokens(file, () => records);
  return file;
}

async function open(file: string) {
  const log = keptLog();
  const authenticator = await openAuthenticator(httpSettings({ tokens: file }), log);
  if (authenticator === undefined) throw new Error("no authenticator");
  opened.push(authenticator);
  const send = (token: string) => authenticator.authenticate({ authorization: [`Bearer ${token}`] });
  return { authenticator, log, send };
}

const isCaller = (one: Caller | Refusal): one is Caller => "principal" in one;

describe("a token of the file", () => {
  test("authenticates its caller, who is known by the token's name and id", async () => {
    const { token, record } = newRecord("ci", { facets: ["issues"] });
    const { send } = await open(await fileWith(record, newRecord("other").record));
    expect(await send(token)).toEqual({
      principal: {
        id: JSON.stringify(["subject", undefined, `ci-${record.id.slice(0, 8)}`]),
        access: { grants: [{ facets: ["issues"] }] },
      },
      auth: { token: "", clientId: "ci", scopes: [], extra: { sub: `ci-${record.id.slice(0, 8)}` } },
    });
  });

  test("is refused when it is wrong in one character, of another id, or of another form", async () => {
    const [a, b] = [newRecord("a"), newRecord("b")];
    const { send } = await open(await fileWith(a.record, b.record));
    const secret = a.token.slice(20);
    const wrong = [
      `${a.token.slice(0, -1)}${a.token.endsWith("A") ? "B" : "A"}`,
      `tp_${b.record.id}_${secret}`,
      `tp_${"0".repeat(16)}_${secret}`,
      `tp_${a.record.id}_`,
      `tp_${a.record.id}_${a.record.hash}`,
      `tp_${a.record.id}_${secret}x`,
      `tp___proto___${secret}`,
      `TP_${a.token.slice(3)}`,
      "eyJhbGciOiJub25lIn0.e30.",
    ];
    for (const token of wrong) {
      const refusal = await send(token);
      expect(refusal).toMatchObject({ status: 401, challenge: expect.stringContaining('error="invalid_token"') });
      expect(JSON.stringify(refusal)).not.toContain(secret);
    }
    expect(await send(a.token)).toHaveProperty("principal");
  });

  test("is refused after its expiry, and the host learns the time before", async () => {
    const expiresAt = new Date(Date.now() + 300).toISOString();
    const { token, record } = newRecord("short", {}, { expiresAt });
    const { send } = await open(await fileWith(record));
    expect(await send(token)).toMatchObject({ expiresAt: Date.parse(expiresAt) });
    await delay(350);
    expect(await send(token)).toMatchObject({ status: 401, message: "the token has expired" });
  });

  test("is refused one second after it is revoked, and listeners are called", async () => {
    const [kept, revoked] = [newRecord("kept"), newRecord("revoked")];
    const file = await fileWith(kept.record, revoked.record);
    const { authenticator, send } = await open(file);
    let calls = 0;
    authenticator.watch(() => (calls += 1));
    expect(isCaller(await send(revoked.token))).toBe(true);
    await changeTokens(file, (tokens) => tokens.filter(({ name }) => name !== "revoked"));
    await delay(oneSecond);
    expect(await send(revoked.token)).toMatchObject({ status: 401, message: "the token is unknown or revoked" });
    expect(isCaller(await send(kept.token))).toBe(true);
    expect(calls).toBe(1);
  });

  test("is revoked for listeners without any request", async () => {
    const file = await fileWith(newRecord("a").record);
    const { authenticator } = await open(file);
    const changed = new Promise<void>((resolve) => authenticator.watch(resolve));
    const start = performance.now();
    await changeTokens(file, () => []);
    await changed;
    expect(performance.now() - start).toBeLessThan(1_900);
  });

  test("gets changed rights and a new secret without a restart", async () => {
    const { token, record } = newRecord("a", { readOnly: true });
    const file = await fileWith(record);
    const { send } = await open(file);
    const before = await send(token);
    const next = createToken(record.id);
    await changeTokens(file, () => [{ ...record, hash: next.hash, access: {} }]);
    await delay(oneSecond);
    expect(await send(token)).toMatchObject({ status: 401 });
    const after = await send(next.token);
    if (!isCaller(before) || !isCaller(after)) throw new Error("refused");
    expect(after.principal).toEqual({ id: before.principal.id, access: { grants: [{}] } });
  });
});

test("a repeated or malformed header is refused before any token is compared", async () => {
  const { token, record } = newRecord("a");
  const { authenticator } = await open(await fileWith(record));
  const twice = { authorization: [`Bearer ${token}`, `Bearer ${token}`] };
  expect(await authenticator.authenticate(twice)).toMatchObject({ status: 400 });
  expect(await authenticator.authenticate({})).toMatchObject({ status: 401, challenge: 'Bearer realm="toolpacks"' });
});

const valid = (more: object = {}) => ({ ...newRecord("a").record, ...more });
const text = (...tokens: readonly object[]) => JSON.stringify({ tokens });

describe("a damaged token file", () => {
  test.each<[what: string, text: string, expected: RegExp]>([
    ["no JSON", '{ "tokens": [\n  {,\n] }', /tokens\.json:2:4: not valid JSON/],
    ["an empty file", "", /tokens\.json:1:1: not valid JSON/],
    ["a list", "[]", /tokens\.json: expected \{"tokens": \[…\]\}/],
    ["an unknown field", '{ "tokns": [] }', /tokns: unknown field, did you mean tokens\?/],
    ["an unknown right", text(valid({ access: { facet: [] } })), /facet: unknown field, did you mean facets\?/],
    [
      "a wrong right",
      text(valid(), valid({ access: { readOnly: 1 } })),
      /tokens\[1\]\.access\.readOnly: expected boolean/,
    ],
    [
      "a secret in place of the hash",
      text(valid({ hash: createToken().token })),
      /tokens\[0\]\.hash: expected the SHA-256/,
    ],
    ["a wrong date", text(valid({ expiresAt: "tomorrow" })), /tokens\[0\]\.expiresAt: expected ISO datetime/],
    ["a name with a line break", text(valid({ name: "a\nb" })), /tokens\[0\]\.name: expected 1 to 100 printable/],
    ["equal names", text(valid(), valid()), /tokens\[1\]\.name: the same as tokens\[0\]\.name/],
    ["deep nesting", "[".repeat(100_000), /nested too deeply|not valid JSON/],
  ])("stops the start and names the place: %s", async (_, content, expected) => {
    const file = await newFile();
    await writeFile(file, content, { mode: 0o600 });
    const failed = open(file);
    await expect(failed).rejects.toThrow(ConfigurationError);
    await expect(failed).rejects.toThrow(expected);
    await failed.catch((error: Error) => expect(error.message).not.toMatch(/tp_|[0-9a-f]{64}/));
  });

  test("stops the start when it is missing or a folder", async () => {
    const file = await newFile();
    await expect(open(file)).rejects.toThrow(/there is no such token file/);
    await expect(open(path.dirname(file))).rejects.toThrow(/not a regular file/);
  });

  test("later keeps the last valid tokens, with one error in the log, until it is mended", async () => {
    const [old, next] = [newRecord("old"), newRecord("next")];
    const file = await fileWith(old.record);
    const { send, log } = await open(file);
    await writeFile(file, '{ "tokens": [');
    for (let second = 0; second < 3; second += 1) {
      await delay(oneSecond);
      expect(isCaller(await send(old.token))).toBe(true);
    }
    const errors = log.lines.filter((line) => line.startsWith("error"));
    expect(errors).toEqual([expect.stringMatching(/:1:14: not valid JSON .*; the last valid tokens stay in use$/)]);
    await writeFile(file, JSON.stringify({ tokens: [next.record] }));
    await delay(oneSecond);
    expect(await send(old.token)).toMatchObject({ status: 401 });
    expect(isCaller(await send(next.token))).toBe(true);
    expect(log.lines.at(-1)).toMatch(/^info .* can be used again$/);
  });

  test("later revokes all tokens when it is deleted", async () => {
    const { token, record } = newRecord("a");
    const file = await fileWith(record);
    const { send, log } = await open(file);
    await rm(file);
    await delay(oneSecond);
    expect(await send(token)).toMatchObject({ status: 401 });
    expect(log.lines.filter((line) => line.startsWith("error"))).toHaveLength(1);
  });
});

describe.skipIf(process.platform === "win32")("permissions of a token file", () => {
  test.runIf(process.geteuid?.() === 0)("of root that the server reads by its group are no warning", async () => {
    const file = await fileWith(newRecord("a").record);
    await chmod(file, 0o440);
    const user = vi.spyOn(process, "geteuid").mockReturnValue(1000);
    const { log } = await open(file).finally(() => user.mockRestore());
    expect(log.lines.filter((line) => line.startsWith("warn"))).toEqual([]);
  });

  test.each([0o620, 0o602, 0o666])("that others may write to (%o) are refused", async (mode) => {
    const file = await fileWith(newRecord("a").record);
    await chmod(file, mode);
    await expect(open(file)).rejects.toThrow(/other users may write to it.*chmod 600/);
  });

  test("that others may read are a warning", async () => {
    const file = await fileWith(newRecord("a").record);
    await chmod(file, 0o644);
    const { log } = await open(file);
    expect(log.lines).toContainEqual(expect.stringMatching(/^warn .*other users can read.*chmod 600/));
  });

  test("that change later are refused with the last tokens in use", async () => {
    const [old, forged] = [newRecord("old"), newRecord("forged")];
    const file = await fileWith(old.record);
    const { send, log } = await open(file);
    await chmod(file, 0o666);
    await writeFile(file, JSON.stringify({ tokens: [old.record, forged.record] }));
    await delay(oneSecond);
    expect(await send(forged.token)).toMatchObject({ status: 401 });
    expect(isCaller(await send(old.token))).toBe(true);
    expect(log.lines.join("\n")).toMatch(/error .*other users may write to it/);
  });

  test("are 0600 for a new file, and a link's target is replaced, not the link", async () => {
    const file = await fileWith(newRecord("a").record);
    const link = `${file}.link`;
    await symlink(file, link);
    await changeTokens(link, (tokens) => [...tokens, newRecord("b").record]);
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, "utf8"))).toMatchObject({ tokens: [{ name: "a" }, { name: "b" }] });
    expect(readdirSync(path.dirname(file)).toSorted()).toEqual(["tokens.json", "tokens.json.link"]);
  });
});

test("a changed file of the same size and time is noticed", async () => {
  const [old, next] = [newRecord("a"), newRecord("a")];
  const file = await fileWith(old.record);
  const { mtime } = await stat(file);
  const { send } = await open(file);
  const other = await fileWith(next.record);
  await utimes(other, mtime, mtime);
  await rename(other, file);
  await delay(oneSecond);
  expect(isCaller(await send(next.token))).toBe(true);
});

test("changes of several processes at once are all kept", async () => {
  const file = await newFile();
  const names = Array.from({ length: 20 }, (_, at) => `token ${at}`);
  await Promise.all(names.map((name) => changeTokens(file, (tokens) => [...tokens, newRecord(name).record])));
  const { tokens } = JSON.parse(readFileSync(file, "utf8")) as { tokens: TokenRecord[] };
  expect(tokens.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
  expect(readdirSync(path.dirname(file))).toEqual(["tokens.json"]);
});

test("secrets are compared only by timingSafeEqual", () => {
  const folder = import.meta.dirname;
  const sources = readdirSync(folder)
    .filter((name) => name.endsWith(".ts") && !/\.(test|fixture)\.ts$/.test(name))
    .map((name) => [name, readFileSync(path.join(folder, name), "utf8")] as const);
  const comparing = sources.filter(([, source]) => source.includes("timingSafeEqual("));
  expect(comparing.map(([name]) => name)).toEqual(["token.ts"]);
  // Nothing else sees both a secret and a hash: no other function compares them, with an operator or otherwise.
  for (const [name, source] of sources) {
    expect([
      name,
      source.match(
        /(?:secret|hash|token)\b[\w.]*\s*[=!]={1,2}(?!=)\s*(?!\s|undefined)|[=!]==?\s*(?:\w+\.)*(?:secret|hash)\b/gi,
      ) ?? [],
    ]).toEqual([name, []]);
  }
});

test("the start logs how callers are authenticated, and expired tokens", async () => {
  const expiresAt = new Date(Date.now() - 1_000).toISOString();
  const file = await fileWith(newRecord("a").record, newRecord("old one", {}, { expiresAt }).record);
  const { log } = await open(file);
  expect(log.lines).toEqual([
    `info callers are authenticated by 2 tokens of ${file}`,
    `warn ${file}: expired tokens: "old one"`,
  ]);
  const empty = await open(await fileWith());
  expect(empty.log.lines.at(-1)).toMatch(/^warn .*no valid token; create one: toolpacks tokens add <name> --file/);
});

test("without tokens and an authorization server there is no authenticator", async () => {
  expect(await openAuthenticator(httpSettings(), keptLog())).toBeUndefined();
});
