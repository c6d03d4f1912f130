import { describe, expect, test } from "vitest";
import { z } from "zod";
import { describeIssues } from "./problems.ts";

/** What a model reads when `value` does not match `schema`. */
function problemsOf(schema: z.ZodObject, value: unknown): string {
  const parsed = schema.safeParse(value);
  return parsed.success ? "" : describeIssues(parsed.error.issues, schema);
}

const issue = z.strictObject({
  title: z.string().min(1).max(10),
  state: z.enum(["open", "closed"]).optional(),
  count: z.int().min(0).max(9).optional(),
  labels: z.array(z.string()).max(2).optional(),
  owner: z.strictObject({ name: z.string() }).optional(),
  when: z.iso.datetime().optional(),
});

describe("describeIssues", () => {
  test.each<[unknown, string]>([
    [{}, "title: required, expected string"],
    [{ title: 5 }, "title: expected string, received number"],
    [{ title: "" }, "title: expected at least 1 character"],
    [{ title: "12345678901" }, "title: expected at most 10 characters"],
    [{ title: "a", state: "opne" }, 'state: expected one of "open", "closed"'],
    [{ title: "a", count: 10 }, "count: expected at most 9"],
    [{ title: "a", count: -1 }, "count: expected at least 0"],
    [{ title: "a", count: 1.5 }, "count: expected int, received number"],
    [{ title: "a", labels: ["a", "b", "c"] }, "labels: expected at most 2 items"],
    [{ title: "a", labels: ["a", 5] }, "labels[1]: expected string, received number"],
    [{ title: "a", owner: {} }, "owner.name: required, expected string"],
    [{ title: "a", owner: { name: "a", nick: 1 } }, "owner.nick: unknown field (accepted: name)"],
    [{ title: "a", when: "today" }, "when: expected ISO datetime"],
    ["text", "args: expected object, received string"],
    [[], "args: expected object, received array"],
  ])("says of %j: %s", (value, message) => {
    expect(problemsOf(issue, value)).toBe(message);
  });

  test("keeps the messages of a schema's author, and says when a limit is exclusive", () => {
    const schema = z.strictObject({ a: z.string().max(3, "a code of three letters"), b: z.number().positive() });
    expect(problemsOf(schema, { a: "long", b: 0 })).toBe("a: a code of three letters; b: expected more than 0");
  });

  test("names the field nearest to an unknown one, and all accepted fields", () => {
    expect(problemsOf(issue, { title: "a", stat: "open" })).toBe(
      "stat: unknown field, did you mean state? (accepted: title, state, count, labels, owner, when)",
    );
    expect(problemsOf(z.strictObject({}), { zebra: 1 })).toBe("zebra: unknown field (accepted: none)");
  });

  test("names the nearest field at any depth", () => {
    const line = z.strictObject({ text: z.string(), colour: z.string().optional() });
    const schema = z.strictObject({
      lines: z.array(line).optional(),
      style: z.strictObject({ border: line.partial().nullable().default({}) }).optional(),
      byName: z.record(z.string(), line).optional(),
      pair: z.tuple([z.string(), line]).optional(),
      either: z.union([z.string(), line, z.strictObject({ image: z.string() })]).optional(),
      drawn: z.preprocess((value) => value, z.strictObject({ width: z.int() })).optional(),
    });
    const accepted = "(accepted: text, colour)";
    expect(problemsOf(schema, { lines: [{ text: "a", color: "red" }] })).toBe(
      `lines[0].color: unknown field, did you mean colour? ${accepted}`,
    );
    expect(problemsOf(schema, { style: { border: { txt: "a" } } })).toBe(
      `style.border.txt: unknown field, did you mean text? ${accepted}`,
    );
    expect(problemsOf(schema, { style: { boarder: {} } })).toContain(
      "style.boarder: unknown field, did you mean border?",
    );
    expect(problemsOf(schema, { byName: { a: { text: "a", color: "red" } } })).toContain(
      "byName.a.color: unknown field, did you mean colour?",
    );
    expect(problemsOf(schema, { pair: ["a", { text: "a", color: "red" }] })).toContain("did you mean colour?");
    expect(problemsOf(schema, { either: { text: "a", color: "red" } })).toContain(
      "color: unknown field, did you mean colour?",
    );
    expect(problemsOf(schema, { drawn: { width: 1, widht: 1 } })).toContain(
      "drawn.widht: unknown field, did you mean width?",
    );
  });

  test("names every wrong field, at most five, and counts the rest", () => {
    const shape = Object.fromEntries(["a", "b", "c", "d", "e", "f", "g"].map((name) => [name, z.string()]));
    expect(problemsOf(z.strictObject(shape), {})).toMatch(/^a: required.*; e: required, expected string; and 2 more$/);
  });

  test("says what each form of a union accepts", () => {
    const target = z.strictObject({ target: z.union([z.string(), z.int(), z.strictObject({ id: z.string() })]) });
    expect(problemsOf(target, { target: true })).toBe(
      "target: expected string, received boolean, or expected number, received boolean, or expected object, received boolean",
    );
    expect(problemsOf(target, { target: { id: 5 } })).toContain("id: expected string, received number");
    const kinds = z.strictObject({
      step: z.discriminatedUnion("kind", [
        z.strictObject({ kind: z.literal("wait") }),
        z.strictObject({ kind: z.literal("call") }),
      ]),
    });
    expect(problemsOf(kinds, { step: { kind: "wiat" } })).toBe('step.kind: expected one of "wait", "call"');
  });

  test("stays short for any input", () => {
    const message = problemsOf(issue, { title: "a", ["x".repeat(100_000)]: 1 });
    expect(message.length).toBeLessThan(400);
  });
});
