import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineKind } from "./define-kind.ts";
import { describeKind } from "./describe-kind.ts";

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

  test("refuses a name that is not an identifier", () => {
    expect(() => defineKind({ name: "Box", schema: z.object({}) })).toThrow("expected a lower-case name");
  });
});
