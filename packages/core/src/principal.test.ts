import { createCatalog } from "./catalog.ts";
import { createDispatcher } from "./dispatch.ts";
import { definePack } from "./define-pack.ts";
import { defineTool } from "./define-tool.ts";
import { principalName, principalOf } from "./principal.ts";
import { requestContext } from "./register-tools.ts";
import { describe, expect, test } from "vitest";
import { z } from "zod";

const token = { token: "secret-token-1", clientId: "editor", scopes: [] };

describe("the id of a principal", () => {
  test("is empty without a credential", () => {
    expect([undefined, null].map(principalOf)).toEqual(["", ""]);
    expect(requestContext({}).principal).toBe("");
  });

  test("is the subject, else the client, else the token's hash", () => {
    const rotated = { ...token, token: "secret-token-2" };
    const subject = { extra: { iss: "https://login.example", sub: "ann" } };
    expect(principalOf({ ...token, ...subject })).toBe(principalOf({ ...rotated, clientId: "phone", ...subject }));
    expect(principalOf({ ...token, ...subject })).not.toBe(principalOf({ ...token, extra: { sub: "ann" } }));
    expect(principalOf(token)).toBe(principalOf(rotated));
    expect(principalOf(token)).not.toBe(principalOf({ ...token, clientId: "phone" }));
    const bare = (text: string) => principalOf({ token: text, clientId: "", scopes: [], extra: { sub: "" } });
    expect(bare("secret-token-1")).toBe(bare("secret-token-1"));
    expect(bare("secret-token-1")).not.toBe(bare("secret-token-2"));
    expect(bare("secret-token-1")).not.toContain("secret");
    // A name cannot be chosen so that it is the id of another sort.
    expect(principalOf({ token: "", clientId: "ann" })).not.toBe(principalOf({ token: "", extra: { sub: "ann" } }));
  });

  test("is short and differs also for long names and for any text", () => {
    const of = (sub: string) => principalOf({ token: "", extra: { sub } });
    const names = ["a".repeat(5_000), `${"a".repeat(5_000)}b`, "é".repeat(140), "\0", "\uD800", "\uD801", '"],["'];
    const ids = names.map(of);
    expect(new Set(ids).size).toBe(names.length);
    for (const id of ids) {
      expect(Buffer.byteLength(id)).toBeLessThanOrEqual(300);
      expect(id.isWellFormed() && !id.includes("\0")).toBe(true);
    }
  });
});

describe("the name of a principal", () => {
  const nameOf = (auth: object) => principalName(principalOf({ token: "t", ...auth }));

  test("is readable, and differs for other issuers, clients and tokens", () => {
    const names = [
      nameOf({ extra: { sub: "ann" } }),
      nameOf({ extra: { sub: "ann", iss: "https://login.example" } }),
      nameOf({ extra: { sub: "ann", iss: "http://login.example" } }),
      nameOf({ clientId: "ann" }),
      nameOf({}),
    ];
    expect(names.slice(0, 4)).toEqual(["ann", "ann@login.example", "ann@http:%2F%2Flogin.example", "client:ann"]);
    expect(names[4]).toMatch(/^token:[0-9a-f]{16}$/);
  });

  test("is one short word without slashes", () => {
    for (const sub of ["ann/agent", "a b\nc", "\uD800", "é".repeat(5_000), "../..", "100%"]) {
      expect(nameOf({ extra: { sub } })).toMatch(/^[^/\s]{1,120}$/);
    }
    expect(nameOf({ extra: { sub: "a/b" } })).not.toBe(nameOf({ extra: { sub: "a%2Fb" } }));
  });
});

test("a handler's own calls have the principal of its caller", async () => {
  const seen: string[] = [];
  const tool = (name: string, next?: string) =>
    defineTool({
      name,
      description: "Calls the next tool.",
      mutates: false,
      input: z.object({}),
      output: z.object({}),
      handler: async (_, { principal, access }) => {
        seen.push(`${name} ${principal}`);
        if (next !== undefined) await access?.dispatch({ name: next, context: { principal: "ben" } });
        return {};
      },
    });
  const tools = [tool("who_one", "who_two"), tool("who_two", "who_three"), tool("who_three")];
  const pack = definePack({ name: "who", description: "Who calls.", budget: 500, tools: () => tools })();
  const { dispatch } = createDispatcher(createCatalog({ packs: [pack] }));
  await dispatch({ name: "who_one", context: { auth: { token: "", extra: { sub: "ann" } } } });
  const id = principalOf({ token: "", extra: { sub: "ann" } });
  expect(seen).toEqual([`who_one ${id}`, `who_two ${id}`, `who_three ${id}`]);
});
