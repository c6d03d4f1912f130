import { renderFailure } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { createSurface, type SurfaceOptions } from "./surface.ts";
import { sample, syntheticPack } from "./packs.fixture.ts";

/** What a model reads of a call on a surface. */
async function ask(name: string, args: unknown, options: Partial<SurfaceOptions> = {}): Promise<string> {
  const surface = await createSurface({ packs: [sample()], onBug: () => {}, ...options });
  const outcome = await surface.call({ name, args });
  if (!outcome.ok) return renderFailure(outcome.failure);
  const { blocks = [{ type: "text" as const, text: outcome.text }], notice } = outcome;
  const texts = blocks.map((block) => (block.type === "text" ? block.text : block.type));
  return [...texts, ...(notice === undefined ? [] : [notice])].join("\n");
}

describe("tool_search", () => {
  test("returns one line with a complete signature per tool", async () => {
    expect(await ask("tool_search", { query: "read a note" })).toBe(
      "note_read(id: string (the note's id), lines?: int (first lines only)): Read one note's text",
    );
  });

  test("marks tools that mutate", async () => {
    expect(await ask("tool_search", { query: "write", limit: 1 })).toBe(
      "note_write(text: string (what to keep)) [mutates]: Write a note",
    );
  });

  test("finds by keywords that the description lacks", async () => {
    expect(await ask("tool_search", { query: "memo", limit: 1 })).toContain("note_read(");
  });

  test("returns the nearest names and says so when nothing matches", async () => {
    const answer = await ask("tool_search", { query: "notebreakk", limit: 1 });
    expect(answer).toBe(
      "note_break(): Fail with a bug\nNothing matches, these names are the nearest. Try other words. Mounted packs: sample.",
    );
  });

  test("marks the best hit as weak when it matches little of the query", async () => {
    const answer = await ask("tool_search", { query: "reserve a table, or read the menu aloud to my guests" });
    expect(answer).toMatch(/^note_read\(.*\nWeak: /s);
  });

  test("lists the mounted packs when no tool can be called", async () => {
    expect(await ask("tool_search", { query: "note" }, { rights: { deny: ["sample"] } })).toMatch(
      /^No tool can be called/,
    );
  });

  test("rejects an unknown facet and names the existing ones", async () => {
    expect(await ask("tool_search", { query: "note", facet: "smaple" })).toBe(
      'not_found: facet: no mounted pack is named "smaple"\nMounted: sample.',
    );
  });

  test("never shows denied tools, or mutating tools when read-only", async () => {
    expect(await ask("tool_search", { query: "note", limit: 50 }, { rights: { deny: ["note_read"] } })).not.toContain(
      "note_read",
    );
    expect(await ask("tool_search", { query: "write note", limit: 50 }, { rights: { readOnly: true } })).not.toContain(
      "note_write",
    );
  });

  test("puts the tool with the rare word first among a thousand", async () => {
    const answer = await ask("tool_search", { query: "create calendar event" }, { packs: [syntheticPack(1000)] });
    expect(answer.split("\n")[0]).toContain("create_calendar_event");
  });
});

describe("tool_describe", () => {
  test("says each field once, without limits, and the result and an example", async () => {
    expect(await ask("tool_describe", { name: "note_read" })).toBe(
      [
        "sample: Keep notes short.\n",
        "note_read: Read one note's text. It is kept in memory.",
        "  id: string - the note's id",
        "  lines?: int - first lines only",
        "returns id,text",
        'example: {"id":"n1"}',
      ].join("\n"),
    );
  });

  test("returns the JSON Schema on request, with every limit", async () => {
    expect(await ask("tool_describe", { name: "note_write", schema: true })).toContain(
      'input schema: {"type":"object","properties":{"text":{"type":"string","maxLength":100,"description":"what to keep"}},"required":["text"],"additionalProperties":false}',
    );
  });

  test("explains the known tools of several, and suggests names near the others", async () => {
    const answer = await ask("tool_describe", { name: ["note_write", "note_wriet"] });
    expect(answer).toContain("note_write [mutates]: ");
    expect(answer).toContain("Nearest: note_write");
  });

  test("explains the listed tools, also beside others", async () => {
    const answer = await ask("tool_describe", { name: ["tool_invoke", "note_write", "tool_describe"] });
    expect(answer).toMatch(/^ {2}calls\?: object\[\] - \[\{name, args, .*\$\{steps\.s1\.items\[0\]\.id\}/m);
    expect(answer).toContain('strategy?: "serial"|"parallel" - of calls; default serial');
    expect(answer).toMatch(/^note_write \[mutates\]: .*^tool_describe: /ms);
  });

  test("without a name names the required field", async () => {
    expect(await ask("tool_describe", {})).toBe("invalid_input: name: required (of one tool or several), or kind");
  });
});

describe("tool_invoke", () => {
  test("accepts arguments as an object and as JSON text", async () => {
    expect(await ask("tool_invoke", { name: "note_read", args: { id: "n1" } })).toBe("hello");
    expect(await ask("tool_invoke", { name: "note_read", args: '{"id":"n1"}' })).toBe("hello");
    expect(await ask("tool_invoke", { name: "note_read", args: "{id:" })).toContain("this string is not valid JSON");
  });

  test.each<[string, Record<string, unknown>]>([
    ["name: expected string", { name: 5 }],
    ["name: expected at most 200 characters", { name: "n".repeat(201) }],
    ["args: expected", { name: "note_read", args: ["n1"] }],
    // Models in a strict mode send null for what they leave out.
    ["id: required", { name: "note_read", args: null, structured: null }],
    ["structured: expected boolean", { name: "note_read", structured: "yes" }],
    [
      "arguments: unknown field (accepted: name, args, fields, structured, calls, strategy, strict)",
      { name: "note_read", arguments: { id: "n1" } },
    ],
    ["constructor: unknown field", { name: "note_read", constructor: "x" }],
  ])("refuses %s", async (problem, args) => {
    expect(await ask("tool_invoke", args)).toMatch(`invalid_input: ${problem}`);
  });

  test("refuses more than 10,000 values, also in JSON text", async () => {
    const args = { id: "n1", lines: Array.from({ length: 10_001 }, () => 1) };
    for (const given of [args, JSON.stringify(args)]) {
      expect(await ask("tool_invoke", { name: "note_read", args: given })).toMatch("too_large: args: more than 10000");
    }
  });

  test("answers wrong arguments with the signature", async () => {
    expect(await ask("tool_invoke", { name: "note_read", args: { Id: "n1" } })).toBe(
      "invalid_input: id: required, expected string; Id: unknown field, did you mean id? (accepted: id, lines)\nCall note_read(id: string, lines?: int)",
    );
  });

  test("passes on a tool's failure with its hint", async () => {
    expect(await ask("tool_invoke", { name: "note_read", args: { id: "n9" } })).toBe(
      "not_found: id: no note n9\nThere is n1.",
    );
  });

  test("answers a bug with a generic line", async () => {
    const answer = await ask("tool_invoke", { name: "note_break" });
    expect(answer).toMatch(/^internal: note_break failed inside the server/);
    expect(answer).not.toContain("secret");
  });

  test("passes on images", async () => {
    expect(await ask("tool_invoke", { name: "note_picture" })).toBe("image");
  });

  test("calls a tool by a deprecated name and reports the new one", async () => {
    expect(await ask("tool_invoke", { name: "read_note", args: { id: "n1" } })).toBe(
      "hello\nread_note is now note_read; call that.",
    );
  });

  test("suggests names near an unknown name", async () => {
    expect(await ask("tool_invoke", { name: "note_raed" })).toContain("Nearest: note_read");
  });

  test("says why a tool is denied, refused as read-only or not mounted, and how to allow it", async () => {
    expect(await ask("tool_invoke", { name: "note_write" }, { rights: { deny: ["sample"] } })).toContain(
      "remove sample from deny",
    );
    expect(
      await ask("tool_invoke", { name: "note_write", args: { text: "x" } }, { rights: { readOnly: true } }),
    ).toContain("start the server without --read-only");
    const withheld = [
      { prefix: "fs_", reason: "the filesystem pack is not mounted", hint: "Start with --root <dir>." },
    ];
    expect(await ask("tool_invoke", { name: "fs_read" }, { withheld })).toBe(
      "denied: fs_read cannot be called: the filesystem pack is not mounted\nStart with --root <dir>.",
    );
  });
});

describe("tool_read", () => {
  test("calls read-only tools, and refuses mutating ones with the tool to use", async () => {
    expect(await ask("tool_read", { name: "note_read", args: { id: "n1" } })).toBe("hello");
    expect(await ask("tool_read", { name: "note_write", args: { text: "x" } })).toBe(
      "denied: note_write changes things; tool_read calls only tools that change nothing\nCall it with tool_invoke.",
    );
  });
});

describe("createSurface", () => {
  test("lists exposed facets beside core on discovery", async () => {
    const surface = await createSurface({ packs: [sample()], expose: ["core", "sample"] });
    expect((await surface.listing()).map(({ name }) => name)).toContain("note_read");
    expect(surface.instructions).toContain("Listed as well: sample.");
  });

  test("lists every mounted pack and no core entry on direct by default", async () => {
    const surface = await createSurface({ packs: [sample()], surface: "direct" });
    expect((await surface.listing()).map(({ name }) => name)).toEqual([
      "note_read",
      "note_write",
      "note_picture",
      "note_break",
    ]);
    expect(surface.results).toBe("both");
  });

  test("lists the known facets for an unknown one", async () => {
    await expect(createSurface({ packs: [sample()], expose: ["issues"] })).rejects.toThrow(
      "expose: no facet is named issues; there are core, sample",
    );
  });

  test("refuses a pack named like its own facet", async () => {
    await expect(createSurface({ packs: [{ ...sample(), name: "core" }] })).rejects.toThrow(
      "the name is the surface's own",
    );
  });

  test("uses direct for auto while the tools fit the budget, else discovery", async () => {
    expect((await createSurface({ packs: [sample()], surface: "auto" })).name).toBe("direct");
    expect((await createSurface({ packs: [syntheticPack(200)], surface: "auto" })).name).toBe("discovery");
    expect((await createSurface({ packs: [sample()], surface: "auto", autoBudget: 50 })).name).toBe("discovery");
  });

  test("returns the same listing every time", async () => {
    const surface = await createSurface({ packs: [sample()] });
    expect(await surface.listing()).toBe(await surface.listing());
  });

  test("runs interceptors once for inner calls, and not for calls of core entries", async () => {
    const seen: string[] = [];
    const surface = await createSurface({
      packs: [sample()],
      interceptors: [(call, next) => (seen.push(call.name), next(call))],
    });
    await surface.call({ name: "tool_invoke", args: { name: "note_read", args: { id: "n1" } } });
    expect(seen).toEqual(["note_read"]);
  });
});
