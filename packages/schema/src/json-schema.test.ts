import { describe, expect, test } from "vitest";
import { z } from "zod";
import { detail, listed, unlisted } from "./detail.ts";
import { slimJsonSchema, toJsonSchema } from "./json-schema.ts";

const slim = (schema: z.ZodType) => slimJsonSchema(toJsonSchema(schema, "input"));

describe("slimJsonSchema", () => {
  test("drops unlisted fields", () => {
    const schema = z.object({ id: z.string(), rare: z.boolean().optional().meta(unlisted("rarely used")) });
    expect(slim(schema)).toEqual({ type: "object", properties: { id: { type: "string" } }, required: ["id"] });
    expect(toJsonSchema(schema, "input")).toMatchObject({ properties: { rare: { description: "rarely used" } } });
  });

  test("replaces a field by its listed schema", () => {
    const order = z.enum(["oldest", "newest"]).optional();
    const schema = z.object({ sort: order.meta({ ...detail("default: oldest"), ...listed({ type: "string" }) }) });
    expect(slim(schema)).toEqual({ type: "object", properties: { sort: { type: "string" } } });
    const full = { enum: ["oldest", "newest"], description: "default: oldest" };
    expect(toJsonSchema(schema, "input")).toMatchObject({ properties: { sort: full } });
  });

  test("drops keywords that only validators need", () => {
    const schema = z.strictObject({
      count: z.int().describe("how many"),
      label: z.string().min(1).max(5_000),
      rows: z
        .array(z.strictObject({ id: z.uuid() }))
        .min(1)
        .max(2_000),
      extra: z.record(z.string(), z.unknown()),
    });
    expect(slim(schema)).toEqual({
      type: "object",
      properties: {
        count: { type: "integer", description: "how many" },
        label: { type: "string" },
        rows: {
          type: "array",
          items: {
            type: "object",
            properties: { id: { type: "string", format: "uuid" } },
            required: ["id"],
          },
        },
        extra: { type: "object" },
      },
      required: ["count", "label", "rows", "extra"],
    });
  });

  test("keeps keywords that a caller needs", () => {
    const schema = z.object({
      limit: z.int().min(1).max(100),
      name: z.string().min(2).max(50),
      state: z.enum(["open", "closed"]).default("open"),
      tags: z.record(z.string(), z.int()).optional(),
    });
    expect(slim(schema)).toMatchObject({
      properties: {
        limit: { minimum: 1, maximum: 100 },
        name: { minLength: 2, maxLength: 50 },
        state: { enum: ["open", "closed"], default: "open" },
        tags: { additionalProperties: { type: "integer" } },
      },
    });
  });

  test("keeps fields named like keywords, and data that looks like a schema", () => {
    const schema = {
      type: "object",
      properties: {
        title: { type: "string", title: "Title" },
        additionalProperties: { type: "boolean" },
        $schema: { type: "string" },
        maximum: { const: { $schema: "kept", additionalProperties: false } },
      },
      required: ["title", "$schema"],
    };
    expect(slimJsonSchema(schema)).toEqual({
      ...schema,
      properties: { ...schema.properties, title: { type: "string" } },
    });
  });

  test("drops a title that repeats the name, and keeps a title that adds information", () => {
    const properties = { user_id: { title: "User Id" }, user: { title: "Owner of the branch" } };
    expect(slimJsonSchema({ type: "object", properties })).toEqual({
      type: "object",
      properties: { user_id: {}, user: { title: "Owner of the branch" } },
    });
  });

  test("does not change a slim schema", () => {
    const once = slim(z.object({ a: z.array(z.union([z.string().max(9), z.null()])).max(9) }));
    expect(slimJsonSchema(once)).toEqual(once);
  });
});

describe("toJsonSchema", () => {
  test("throws for a schema that JSON Schema cannot express", () => {
    expect(() => toJsonSchema(z.object({ when: z.date() }), "input")).toThrow();
  });
});
