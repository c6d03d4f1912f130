import path from "node:path";
import { describe, expect, test } from "vitest";
import { httpSchema } from "./http-schema.ts";
import { resolveHttp } from "./resolve-http.ts";

const issuer = "https://login.example.com";

describe("the settings of callers over HTTP", () => {
  test("resolve the token file and the roots of scopes in the folder of the config file", () => {
    const http = httpSchema.parse({
      tokens: "tokens.json",
      oauth: { issuer, scopes: { a: { roots: ["docs", "/srv"], readOnly: true }, b: { roots: [] }, c: {} } },
    });
    const directory = path.resolve("/project");
    const { value } = resolveHttp({ flags: {}, directory: "/", file: { path: "/project/x.json", directory, http } });
    expect(value.tokens).toBe(path.join(directory, "tokens.json"));
    expect(value.oauth?.scopes).toEqual({
      a: { roots: [path.join(directory, "docs"), path.resolve("/srv")], readOnly: true },
      b: { roots: [] },
      c: {},
    });
  });

  test.each([
    ["a space", { "a b": {} }],
    ["a quote", { 'a"b': {} }],
    ["a line break", { "a\r\nX: b": {} }],
    ["a backslash", { "a\\b": {} }],
    ["another alphabet", { ä: {} }],
    ["no character", { "": {} }],
    ["an unknown right", { a: { facet: ["x"] } }],
  ])("refuse a scope with %s", (_, scopes) => {
    expect(httpSchema.safeParse({ oauth: { issuer, scopes } }).success).toBe(false);
    expect(httpSchema.safeParse({ oauth: { issuer, scopes: { "a:b/c.d": {} } } }).success).toBe(true);
  });

  test("refuse an authorization server without scopes: its tokens would grant nothing", () => {
    const { error } = httpSchema.safeParse({ oauth: { issuer, scopes: {} } });
    expect(error?.issues).toMatchObject([{ path: ["oauth", "scopes"], message: "expected at least one scope" }]);
  });
});
