import { expect, test } from "vitest";
import { readBearer } from "./read-bearer.ts";
import { createRefusals } from "./refusals.ts";

test.each<[value: string | string[] | undefined, expected: string]>([
  [undefined, "missing"],
  ["Bearer abc", "abc"],
  [["Bearer abc"], "abc"],
  ["bearer   a.b-c_d~e+f/g==", "a.b-c_d~e+f/g=="],
  ["Basic dXNlcjpwYXNz", "missing"],
  ["Bearer", "malformed"],
  ["Bearer ", "malformed"],
  ["", "malformed"],
  ["abc", "malformed"],
  ["Bearer a b", "malformed"],
  ["Bearer a, Bearer b", "malformed"],
  [["Bearer a", "Bearer b"], "malformed"],
  [["Bearer a", "Bearer a"], "malformed"],
  ["Bearer a\u0000", "malformed"],
  ["Bearer a\r\nX-Other: b", "malformed"],
  ["Bearer ä", "malformed"],
  ["Bearer =", "malformed"],
  [`Bearer ${"a".repeat(8_185)}`, "a".repeat(8_185)],
  [`Bearer ${"a".repeat(8_186)}`, "malformed"],
])("the Authorization header %.40j is %.20s", (value, expected) => {
  const bearer = readBearer({ authorization: value });
  expect("token" in bearer ? bearer.token : bearer.problem).toBe(expected);
});

test("a token is read from no other header", () => {
  expect(readBearer({ "x-authorization": "Bearer abc", "proxy-authorization": "Bearer abc" })).toEqual({
    problem: "missing",
  });
});

const metadataUrl = "https://a.example/.well-known/oauth-protected-resource/mcp";

test("a challenge names an error only for a request with a token", () => {
  const { missing, insufficient, malformed, invalid, unavailable } = createRefusals({
    metadataUrl,
    scopes: ["read", "write"],
  });
  const start = `Bearer resource_metadata="${metadataUrl}", scope="read write"`;
  expect(missing).toMatchObject({ status: 401, challenge: start });
  expect(invalid("the token has expired")).toMatchObject({
    status: 401,
    challenge: `${start}, error="invalid_token", error_description="the token has expired"`,
  });
  expect(insufficient).toMatchObject({ status: 403, challenge: expect.stringContaining('error="insufficient_scope"') });
  expect(insufficient.challenge).toContain('scope="read write"');
  expect(malformed).toMatchObject({ status: 400, challenge: expect.stringContaining('error="invalid_request"') });
  expect(unavailable(5)).toMatchObject({ status: 503, challenge: undefined, retryAfterSeconds: 5 });
});

test("without an authorization server a challenge has a realm", () => {
  const { missing, invalid } = createRefusals(undefined);
  expect(missing.challenge).toBe('Bearer realm="toolpacks"');
  expect(invalid("x").challenge).toBe('Bearer realm="toolpacks", error="invalid_token", error_description="x"');
});
