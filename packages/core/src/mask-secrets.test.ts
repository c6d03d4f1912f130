import { describe, expect, test } from "vitest";
import { maskText, maskValue } from "./mask-secrets.ts";

describe("maskText", () => {
  test.each([
    ["curl -u me:hunter2 https://x", "curl -u me:*** https://x"],
    ["curl -sSu 'me:hunter2' https://x", "curl -sSu 'me:***' https://x"],
    ["curl --user=me:hunter2", "curl --user=me:***"],
    ["login --password hunter2 --verbose", "login --password *** --verbose"],
    ["login --password=hunter2 --verbose", "login --password=*** --verbose"],
    ['login --db-password "hunter2 and more" now', "login --db-password *** now"],
    ["Cookie: sid=hunter2; theme=dark\nAccept: */*", "Cookie: ***\nAccept: */*"],
    ["Set-Cookie: sid=hunter2; HttpOnly\r\nX: y", "Set-Cookie: ***\r\nX: y"],
    [`curl -H "Cookie: sid=hunter2; a=b" https://x`, `curl -H "Cookie: ***" https://x`],
    ["Authorization: Token hunter2\nX: y", "Authorization: ***\nX: y"],
    [
      "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=aHVudGVyMg==;EndpointSuffix=core",
      "DefaultEndpointsProtocol=https;AccountName=a;AccountKey=***;EndpointSuffix=core",
    ],
    ['[{"key": "DB_PASSWORD", "value": "hunter2"}]', '[{"key": "DB_PASSWORD", "value": "***"}]'],
    [
      String.raw`{\"key\":\"DB_PASSWORD\",\"value\":\"hunter2\"}`,
      String.raw`{\"key\":\"DB_PASSWORD\",\"value\":"***"}`,
    ],
    [String.raw`{\"password\": \"hunter2\"}`, String.raw`{\"password\": ***}`],
    [`SG.${"hunter2".repeat(3)}.${"hunter2".repeat(6)}`, "***"],
    [`https://api.telegram.org/bot123456789:AA${"hunter2".repeat(5)}/getMe`, "https://api.telegram.org/bot***/getMe"],
    [`use tp_0123456789abcdef_${"hunter2".repeat(6)}x now`, "use *** now"],
    ["https://a.blob.example/x?sv=1&sig=hunter2%3D&se=2", "https://a.blob.example/x?sv=1&sig=***&se=2"],
    ["export DJANGO_SECRET_KEY='hunter2' && run", "export DJANGO_SECRET_KEY=*** && run"],
    ["SECRET_KEY_BASE=hunter2 rails s", "SECRET_KEY_BASE=*** rails s"],
    ["DB_PASS=hunter2\nMYSQL_PWD=hunter2\nPORT=80", "DB_PASS=***\nMYSQL_PWD=***\nPORT=80"],
    ['STRIPE_KEY = "hunter2 and more"\nA=1', "STRIPE_KEY = ***\nA=1"],
    ["-----BEGIN PGP PRIVATE KEY BLOCK-----\nhunter2\n-----END PGP PRIVATE KEY BLOCK-----\nx", "***\nx"],
    [String.raw`"A=1\nDB_PASS=hunter2"`, String.raw`"A=1\nDB_PASS=***"`],
    ["https://me:hunter2@example.org/x", "https://me:***@example.org/x"],
    ['tags=["--password","hunter2"]', 'tags=["--password",***]'],
    ['[["Authorization", "hunter2"], ["Accept", "*"]]', '[["Authorization", ***], ["Accept", "*"]]'],
    [String.raw`[[\"Set-Cookie\",\"hunter2\"]]`, String.raw`[[\"Set-Cookie\",***]]`],
  ])("masks %j", (text, expected) => {
    expect(maskText(text)).toBe(expected);
    // A text that was masked stays as it is.
    expect(maskText(expected)).not.toContain("hunter2");
  });

  test.each([
    "ghp_",
    "sk-ant-",
    "xapp-1-",
    "GOCSPX-",
    "AGE-SECRET-KEY-1",
    "dop_v1_",
    "pypi-AgE",
    "whsec_",
    "shpat_",
    "gsk_",
    "xai-",
    "lin_api_",
    "dckr_pat_",
    "sbp_",
    "figd_",
    "ntn_",
  ])("masks a key that begins with %s, also after an escaped line break", (prefix) => {
    const key = `${prefix}${"hunter2".repeat(4)}`;
    expect(maskText(`use ${key} now`)).toBe("use *** now");
    expect(maskText(String.raw`"use\n${key}"`)).toBe(String.raw`"use\n***"`);
  });

  test.each([
    "The basic understanding of bearer responsibilities, see https://example.org/a:b and keep 500 tokens: fine",
    "args: password: unknown field; access_token: expected string, received number; api_key: too long",
    "All tests pass: 12. The by_key = index, OLDPWD=/home/anna, key_pass is a function",
    "docker run -u 1000:1000 image; git push -u origin main; wget -u https://example.org",
    "--max-tokens 500 --token-file tokens.txt",
    "The cookie jar and the authorization are described below.",
    "at 12:30 on 2024-01-02, SG.1, issue 123456:AAB",
  ])("does not change %j", (text) => {
    expect(maskText(text)).toBe(text);
  });

  // Each would take minutes where a match began at every place and ran to the end of the text.
  test.each([
    "eyJ-",
    "a-",
    "--password",
    ",-u",
    "-u a",
    "-",
    "://a:",
    "://",
    "token",
    "token ",
    "cookie ",
    'cookie:"',
    "basic ",
    "bearer 1",
    '"key":"',
    '"key":"token",',
    '\\"',
    "SG.a",
    "1234567:AA",
    '"cookie",',
    '"--token" ,',
    "-----BEGIN ",
    "-----BEGIN A PRIVATE KEY-----",
    " ",
    "password",
    "password:'",
    "A_",
    "A_KEY",
    "gsk_",
    "-----BEGIN A PRIVATE KEY BLOCK-----",
    "sk-",
  ])("takes linear time for a long text of %j", (part) => {
    for (const ending of ["", "\n", "!"]) {
      const text = `key ${part.repeat(Math.ceil(400_000 / part.length))}${ending}`;
      const started = performance.now();
      maskText(text);
      expect(performance.now() - started).toBeLessThan(2_000);
    }
  });
});

describe("maskValue", () => {
  test("masks values by field names, by names beside values, and after flags of a command", () => {
    expect(
      maskValue({
        headers: { Cookie: "hunter2", "X-Api-Key": ["hunter2"], accept: "json" },
        env: [
          { key: "DB_PASSWORD", value: "hunter2" },
          { name: "PORT", value: "80" },
          { name: "session_token", value: 12 },
        ],
        command: ["curl", "-u", "me:hunter2", "--password", "hunter2", "-v", "https://x"],
        maxTokens: 500,
        hasToken: true,
        password: null,
        nested: [[{ text: "PASSWORD=hunter2" }]],
      }),
    ).toEqual({
      headers: { Cookie: "***", "X-Api-Key": "***", accept: "json" },
      env: [
        { key: "DB_PASSWORD", value: "***" },
        { name: "PORT", value: "80" },
        { name: "session_token", value: "***" },
      ],
      command: ["curl", "-u", "me:***", "--password", "***", "-v", "https://x"],
      maxTokens: 500,
      hasToken: true,
      password: null,
      nested: [[{ text: "PASSWORD=***" }]],
    });
  });

  test("keeps a field named __proto__", () => {
    const value = JSON.parse('{"__proto__": {"password": "hunter2"}, "constructor": 1}') as unknown;
    expect(
      maskValue([
        ["X-Api-Key", "hunter2"],
        ["cookie", "hunter2"],
        ["Accept", "x"],
        ["token", "reset"],
      ]),
    ).toEqual([
      ["X-Api-Key", "***"],
      ["cookie", "***"],
      ["Accept", "x"],
      ["token", "reset"],
    ]);
    expect(JSON.stringify(maskValue(value))).toBe('{"__proto__":{"password":"***"},"constructor":1}');
  });
});
