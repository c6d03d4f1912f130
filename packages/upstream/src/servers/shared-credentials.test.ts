import { expect, test } from "vitest";
import { sharedCredentialWarnings } from "./shared-credentials.ts";

const warn = (block: object, isSignedIn?: boolean) =>
  sharedCredentialWarnings(
    [{ key: "Git", name: "git", block, isPerCaller: false, avoid: [] }],
    [{ name: "git", isSignedIn: async () => isSignedIn }],
  );

test.each<[string, object, boolean | undefined]>([
  ["env", { command: "x", env: { GITHUB_TOKEN: "abc" } }, undefined],
  ["env", { command: "x", env: { ACCOUNT: "${ACCOUNT}" } }, undefined],
  ["envFile", { command: "x", envFile: ".env" }, undefined],
  ["headers", { url: "https://a.example", headers: { "X-Key": "1" } }, undefined],
  ["auth", { url: "https://a.example", auth: { token: "x" } }, undefined],
  ["auth", { url: "https://a.example", oauth: {} }, undefined],
  ["a sign-in", { url: "https://a.example" }, true],
])(
  "a server with credentials in %s is warned of once, unless its block sets identity",
  async (where, block, isSignedIn) => {
    expect(await warn(block, isSignedIn)).toEqual([
      expect.stringMatching(
        new RegExp(`^mcpServers\\.Git: all callers use its credentials \\(${where}\\); set identity: "caller"`),
      ),
    ]);
    expect(await warn({ ...block, identity: "shared" }, isSignedIn)).toEqual([]);
    expect(await warn({ ...block, identity: "caller" }, isSignedIn)).toEqual([]);
  },
);

test.each<[object, boolean | undefined]>([
  [{ command: "x" }, undefined],
  [{ command: "x", env: { DEBUG: "1", NONE: null } }, undefined],
  [{ url: "https://a.example" }, false],
])("a server without credentials is not warned of: %j", async (block, isSignedIn) => {
  expect(await warn(block, isSignedIn)).toEqual([]);
});
