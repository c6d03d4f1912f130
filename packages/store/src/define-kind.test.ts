import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineKind } from "@toolpacks/core";
import { describeKind } from "./kind-layout.ts";

describe("defineKind", () => {
  test("calls a schema function once, at the first use", () => {
    let made = 0;
    const kind = defineKind({
      name: "box",
      schema: () => {
        made += 1;
        return z.object({ size: z.number(), label: z.string() });
      },
      indexes: ["size"],
    });
    expect(made).toBe(0);
    expect(kind.summary).toEqual(["size", "label"]);
    expect(describeKind(kind).indexed).toEqual([{ path: "size", type: "number" }]);
    expect(made).toBe(1);
  });

  test.each(["id", "generation", "closed", "workspace"])(
    "refuses a field named %s, in a schema or a schema function",
    (name) => {
      const schema = z.object({ [name]: z.string() });
      const message = `kind box: ${name} is a field of the store`;
      expect(() => defineKind({ name: "box", schema })).toThrow(message);
      expect(() => defineKind({ name: "box", schema: () => schema }).schema).toThrow(message);
    },
  );

  test("refuses an owner that is not an indexed field", () => {
    const schema = z.object({ by: z.string(), at: z.string() });
    const message = "kind box: owner: by is not an indexed field";
    expect(() => defineKind({ name: "box", schema, owner: "by", indexes: ["at"] })).toThrow(message);
    expect(defineKind({ name: "box", schema, owner: "by", indexes: [["by", "at"]] }).owner).toBe("by");
  });

  test("refuses a name that is not an identifier", () => {
    expect(() => defineKind({ name: "Box", schema: z.object({}) })).toThrow("expected a lower-case name");
  });
});
