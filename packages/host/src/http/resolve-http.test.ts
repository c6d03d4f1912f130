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
    const value = resolveHttp({ flags: {}, directory: "/", file: { directory, http } });
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

  test.each([
    ["path", "/healthz", "expected a path that the server does not answer itself"],
    ["path", "/readyz", "expected a path that the server does not answer itself"],
    ["path", "/metrics", "expected a path that the server does not answer itself"],
    ["path", "/.well-known/oauth-protected-resource", "expected a path that the server does not answer itself"],
    ["path", "mcp", "expected a path such as /mcp"],
    ["path", "/a/../mcp", "expected a path such as /mcp"],
    ["host", "", "expected an IP address or a host name"],
    ["host", "http://localhost", "expected an IP address or a host name"],
    ["host", "localhost:3333", "expected an IP address or a host name"],
  ] as const)("refuse the %s %j as a flag and in the config file", (field, text, message) => {
    const resolve = () => resolveHttp({ flags: { [field]: text }, directory: "/", file: undefined });
    expect(resolve).toThrow(`--${field}: ${message}`);
    const { error } = httpSchema.safeParse({ [field]: text });
    expect(error?.issues).toMatchObject([{ path: [field], message: expect.stringContaining(message) as string }]);
  });

  test.each([
    [
      { allowedHosts: ["http://tools.internal"] },
      "expected a host name without scheme and path, such as tools.internal",
    ],
    [
      { allowedOrigins: ["https://app.example.com/"] },
      "expected a host name without scheme and path, such as tools.internal",
    ],
    [{ publicUrl: "tools.example.com" }, "expected an address with its scheme, such as https://tools.example.com"],
  ])("refuse %j, which would match no request", (http, message) => {
    expect(httpSchema.safeParse(http).error?.issues).toMatchObject([{ message }]);
  });

  test.each(["::1", "127.0.0.1", "0.0.0.0", "tools.internal"])("accept the host %s", (host) => {
    expect(resolveHttp({ flags: { host }, directory: "/", file: undefined }).host).toBe(host);
    const accepted = httpSchema.safeParse({
      host,
      path: "/a/b",
      allowedHosts: [host, `${host.includes(":") ? "[::1]" : host}:80`],
    });
    expect(accepted.success).toBe(true);
  });
});
