import { describe, expect, test } from "vitest";
import { renderFailure, resultsModes, toCallToolResult, type Outcome } from "./outcome.ts";

const outcome: Outcome = { ok: true, text: "one note", value: { notes: 1 } };
const text = (value: string) => ({ type: "text", text: value });
const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;

describe("toCallToolResult", () => {
  test("returns text, structured content or both", () => {
    expect(toCallToolResult(outcome, "text")).toEqual({ content: [text("one note")] });
    expect(toCallToolResult(outcome, "structured")).toEqual({
      content: [text('{"notes":1}')],
      structuredContent: { notes: 1 },
    });
    expect(toCallToolResult(outcome, "both")).toEqual({
      content: [text("one note")],
      structuredContent: { notes: 1 },
    });
  });

  test("uses the form that the caller asked for, instead of the surface's form", () => {
    const structured = { content: [text('{"notes":1}')], structuredContent: { notes: 1 } };
    for (const results of resultsModes) {
      expect(toCallToolResult({ ...outcome, form: "structured" }, results)).toEqual(structured);
    }
  });

  test.each(resultsModes)("never puts an image beside structured content, in %s", (mode) => {
    const withBoth = toCallToolResult({ ok: true, text: "", blocks: [image], value: { size: 2 } }, mode);
    const types = withBoth.content.map(({ type }) => type);
    expect(types.includes("image") && withBoth.structuredContent !== undefined).toBe(false);
    const alone = toCallToolResult({ ok: true, text: "", blocks: [image] }, mode);
    expect(alone).toEqual({ content: [image] });
  });

  test.each(resultsModes)("adds a notice as a separate text, in %s", (mode) => {
    const result = toCallToolResult({ ...outcome, notice: "a is now b; call that." }, mode);
    expect(result.content.at(-1)).toEqual(text("a is now b; call that."));
    expect(result.content).toHaveLength(2);
  });

  test.each(resultsModes)("never gives a failure structured content, in %s", (mode) => {
    const failure = { code: "conflict", message: "id: changed", hint: "Read it again." } as const;
    expect(toCallToolResult({ ok: false, failure }, mode)).toEqual({
      content: [text("conflict: id: changed\nRead it again.")],
      isError: true,
      _meta: { "toolpacks/error": failure },
    });
  });

  test("returns a copy, so that a client cannot change the value", () => {
    const value = { notes: 1 };
    const result = toCallToolResult({ ok: true, text: "", value }, "both");
    expect(result.structuredContent).not.toBe(value);
  });
});

test("renderFailure puts the hint on a separate line", () => {
  expect(renderFailure({ code: "denied", message: "no" })).toBe("denied: no");
  expect(renderFailure({ code: "denied", message: "no", hint: "Ask." })).toBe("denied: no\nAsk.");
});
