import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createCatalog } from "./catalog.ts";
import { createDispatcher } from "./dispatch.ts";
import { defineForeignTool } from "./define-tool.ts";
import { definePack } from "./define-pack.ts";
import type { JsonSchema } from "@toolpacks/schema";

function dispatch(inputSchema: JsonSchema, args: unknown, name = "other_call") {
  const tool = defineForeignTool({
    name,
    description: "Another server's.",
    mutates: false,
    inputSchema,
    handler: (given) => ({ given }),
  });
  const pack = definePack({ name: "others", description: "Others.", budget: 9, tools: () => [tool] })();
  return createDispatcher(createCatalog({ packs: [pack] })).dispatch({ name, args });
}

const search = {
  type: "object",
  properties: {
    query: { type: "string", minLength: 2 },
    page: { type: "integer", minimum: 1 },
    sort: { enum: ["stars", "forks"] },
    owner: { type: "object", properties: { login: { type: "string" } }, required: ["login"] },
  },
  required: ["query"],
  additionalProperties: false,
} as const;

describe("defineForeignTool", () => {
  test("passes on valid arguments unchanged", async () => {
    const args = { query: "mcp", page: 2, owner: { login: "a" } };
    expect(await dispatch(search, args)).toMatchObject({ ok: true, value: { given: args } });
  });

  test.each<[unknown, string]>([
    [{}, "query"],
    [{ query: 5 }, "query"],
    [{ query: "mcp", page: 0 }, "page"],
    [{ query: "mcp", sort: "age" }, "sort"],
    [{ query: "mcp", owner: { login: 5 } }, "owner.login"],
    [{ query: "mcp", qeury: "x" }, "qeury"],
    ["mcp", "args"],
  ])("refuses %j and names %s", async (args, field) => {
    const outcome = await dispatch(search, args);
    expect(outcome).toMatchObject({ ok: false, failure: { code: "invalid_input" } });
    expect(outcome.ok ? "" : outcome.failure.message).toContain(field);
  });

  test("validates by the draft that the schema names", async () => {
    const draft7 = {
      $schema: "http://json-schema.org/draft-07/schema#",
      type: "object",
      definitions: { id: { type: "integer" } },
      properties: { pair: { type: "array", items: [{ $ref: "#/definitions/id" }, { type: "string" }] } },
    };
    expect(await dispatch(draft7, { pair: [1, "a"] })).toMatchObject({ ok: true });
    expect(await dispatch(draft7, { pair: ["a", 1] })).toMatchObject({ failure: { code: "invalid_input" } });
    const draft2020 = {
      type: "object",
      $defs: { id: { type: "integer" } },
      properties: { pair: { type: "array", prefixItems: [{ $ref: "#/$defs/id" }, { type: "string" }] } },
    };
    expect(await dispatch(draft2020, { pair: [1, "a"] })).toMatchObject({ ok: true });
    expect(await dispatch(draft2020, { pair: ["a", 1] })).toMatchObject({ failure: { code: "invalid_input" } });
  });
});

interface Listing {
  readonly name: string;
  readonly inputSchema: JsonSchema & { readonly properties?: Readonly<Record<string, JsonSchema>> };
}

const shared = new URL("../../../../shared/data/github-tools.json", import.meta.url);
const listings = existsSync(shared) ? (JSON.parse(readFileSync(shared, "utf8")) as readonly Listing[]) : [];

describe("every tool of a large real server", () => {
  test.skipIf(listings.length === 0)("accepts minimal arguments and refuses a wrong type by its field", async () => {
    for (const { name, inputSchema } of listings) {
      const required = (inputSchema["required"] ?? []) as readonly string[];
      const args = Object.fromEntries(
        required.map((field) => [field, minimal(inputSchema.properties?.[field] ?? {})] as const),
      );
      const outcome = await dispatch(inputSchema, args, name);
      expect(outcome.ok ? "" : `${name}: ${outcome.failure.message}`).toBe("");
      const typed = Object.entries(inputSchema.properties ?? {}).find(([, { type }]) => typeof type === "string");
      if (typed === undefined) continue;
      const wrong = await dispatch(inputSchema, { ...args, [typed[0]]: typed[1]["type"] === "object" ? 5 : {} }, name);
      expect(wrong).toMatchObject({ failure: { code: "invalid_input", message: expect.stringContaining(typed[0]) } });
    }
  });
});

/** The least value that a property's schema admits. */
function minimal(schema: JsonSchema): unknown {
  if (Array.isArray(schema["enum"])) return schema["enum"][0];
  switch (schema["type"]) {
    case "array":
      return Array.from({ length: Number(schema["minItems"] ?? 0) }, () => minimal(schema["items"] as JsonSchema));
    case "object": {
      const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>;
      const required = (schema["required"] ?? []) as readonly string[];
      return Object.fromEntries(required.map((field) => [field, minimal(properties[field] ?? {})]));
    }
    case "boolean":
      return true;
    case "integer":
    case "number":
      return schema["minimum"] ?? 1;
    default:
      return "text";
  }
}
