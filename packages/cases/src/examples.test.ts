import { readdirSync, readFileSync } from "node:fs";
import { startModelEndpoint, type ModelEndpoint } from "@toolpacks/testkit";
import { afterEach, describe, expect, test } from "vitest";
import { readCaseFile, type CaseFile } from "./case-file.ts";
import { fewShotExamples } from "./few-shot.ts";
import { rules, type Rule } from "./judge/breach.ts";
import { openBoxed, type Boxing } from "./open-boxed.ts";
import { runCase, type CaseResult } from "./run-case.ts";
import { check, fetchPage, grep, handle, rightScripts, save, transcribe, type Script } from "./scripts.fixture.ts";
import { simulated } from "./simulated/simulated.ts";
import { packClient } from "./tool-client.ts";

const folder = new URL("../../../examples/cases/", import.meta.url);
const cases = readdirSync(folder)
  .filter((name) => name.endsWith(".md") && name !== "README.md")
  .map((name) => readCaseFile(readFileSync(new URL(name, folder), "utf8"), name));

let endpoint: ModelEndpoint | undefined;
afterEach(() => endpoint?.close());

interface RunOptions {
  readonly boxing?: Boxing;
  readonly drive?: Map<string, string>;
  readonly fewShot?: string;
}

async function run(caseFile: CaseFile, script: Script, options: RunOptions = {}): Promise<CaseResult> {
  const { boxing = "opaque", drive = new Map<string, string>(), fewShot } = options;
  endpoint = await startModelEndpoint(script);
  return runCase(caseFile, {
    profile: { name: "test", url: endpoint.baseUrl, urlFrom: "environment", model: "scripted" },
    tools: await openBoxed(packClient(simulated({ drive })), boxing),
    maxRetries: 0,
    ...(fewShot !== undefined && { fewShot }),
  });
}

function example(id: string): CaseFile {
  const found = cases.find((one) => one.id === id);
  if (found === undefined) throw new Error(`no example has the id ${id}`);
  return found;
}

const rulesOf = (result: CaseResult) =>
  "breaches" in result ? [...new Set(result.breaches.map(({ rule }) => rule))] : [];

describe("an example case", () => {
  test("exists for each script", () => {
    expect(cases.map(({ id }) => id)).toEqual(Object.keys(rightScripts).sort());
  });

  test.each(cases)("passes with the right script: $id", async (caseFile) => {
    const result = await run(caseFile, rightScripts[caseFile.id] ?? []);
    expect(result).toMatchObject({ status: "passed", breaches: [] });
  });

  test.each(cases)("passes with handles as links: $id", async (caseFile) => {
    const result = await run(caseFile, rightScripts[caseFile.id] ?? [], {
      boxing: "json",
      fewShot: fewShotExamples("json"),
    });
    expect(result).toMatchObject({ status: "passed", breaches: [] });
  });
});

test("a long value reaches the drive unchanged, and not the conversation", async () => {
  const drive = new Map<string, string>();
  const result = await run(example("pass-along"), rightScripts["pass-along"] ?? [], { drive });
  const written = drive.get("talks/opening.txt") ?? "";
  expect(written.split("\n")).toHaveLength(405);
  expect(written.length).toBeGreaterThan(20_000);
  expect(result).toMatchObject({ status: "passed" });
  const sent = JSON.stringify(endpoint?.asked.at(-1)?.messages);
  expect(sent.length).toBeLessThan(3_000);
  expect(sent).not.toContain(written.split("\n").at(-1));
});

describe("a handle is recognized", () => {
  const forms: readonly (readonly [what: string, of: (handle: string) => unknown, lines: number])[] = [
    ["as a link", (uri) => ({ type: "resource_link", uri }), 405],
    ["as a link in JSON text", (uri) => JSON.stringify({ type: "resource_link", uri }), 405],
    ["with a range", (uri) => `${uri}#lines=11-20`, 10],
    ["in braces", (uri) => `\${${uri}#lines=-3}`, 3],
    ["under the older scheme", (uri) => uri.replace("relay:", "internal:"), 405],
  ];

  test.each(forms)("%s", async (_, form, lines) => {
    const drive = new Map<string, string>();
    const write = (uri: string) => ({ name: "write_drive", args: { path: "talks/opening.txt", content: form(uri) } });
    const script: Script = [{ calls: [transcribe()] }, (asked) => ({ calls: [write(handle(asked, 0))] }), "Saved."];
    const result = await run(example("pass-along"), script, { drive, boxing: "json" });
    expect(result).toMatchObject({ status: "passed", breaches: [] });
    expect(drive.get("talks/opening.txt")?.trim().split("\n")).toHaveLength(lines);
  });
});

describe("without boxing", () => {
  test("expectations of handles are ignored, and more tokens are used", async () => {
    const caseFile = example("keep-nothing");
    const boxed = await run(caseFile, rightScripts["keep-nothing"] ?? []);
    await endpoint?.close();
    const whole: Script = [
      { calls: [transcribe("https://library.example/lectures/maps")] },
      ({ prompt }) => ({ calls: [check(["Maps", prompt])] }),
      "It has 3,000 words.",
    ];
    const result = await run(caseFile, whole, { boxing: "off" });
    expect(result).toMatchObject({ status: "passed", breaches: [] });
    expect(endpoint?.asked[0]?.tools.map(({ name }) => name)).not.toContain("relay_read");
    expect(tokensIn(result)).toBeGreaterThan(9 * tokensIn(boxed));
  });
});

function tokensIn(result: CaseResult): number {
  return "conversation" in result ? result.conversation.tokens.in : 0;
}

/** A case, a wrong script, and the rules that it breaks. */
type Wrong = readonly [what: string, id: string, script: Script, rules: readonly Rule[]];

const invented = "relay://aaaaaaaaaaaaaaaaaaaa";

const wrongs: readonly Wrong[] = [
  ["the answer is empty", "answer-directly", [""], ["answer", "answer_matches"]],
  ["the answer is wrong", "answer-directly", ["The one of 0.4 kilometres."], ["answer_matches"]],
  [
    "it writes to another path",
    "pass-along",
    [{ calls: [transcribe()] }, (asked) => ({ calls: [save("opening.txt", handle(asked, 0))] }), "Saved."],
    ["args"],
  ],
  [
    "it writes one of the copies to a path that the expectation for all calls does not allow",
    "copy-each",
    [
      {
        calls: [
          fetchPage(),
          fetchPage("https://museum.example/annual-report"),
          fetchPage("https://library.example/rooms"),
        ],
      },
      (asked) => ({ calls: ["copies/a.md", "copies/b.md", "c.md"].map((path, at) => save(path, handle(asked, at))) }),
      "Copied.",
    ],
    ["args"],
  ],
  [
    "it fetches two of three pages",
    "copy-each",
    [
      { calls: [fetchPage(), fetchPage("https://library.example/rooms")] },
      (asked) => ({ calls: ["a", "b", "c"].map((name) => save(`copies/${name}.md`, handle(asked, 0))) }),
      "Copied.",
    ],
    ["call_count"],
  ],
  [
    "it writes before it has fetched everything",
    "copy-each",
    [
      { calls: [fetchPage(), fetchPage("https://museum.example/annual-report")] },
      (asked) => ({ calls: [save("copies/a.md", handle(asked, 0)), save("copies/b.md", handle(asked, 1))] }),
      { calls: [fetchPage("https://library.example/rooms")] },
      (asked) => ({ calls: [save("copies/c.md", handle(asked, 2))] }),
      "Copied.",
    ],
    ["call_order"],
  ],
  [
    "it calls a forbidden tool",
    "keep-nothing",
    [
      { calls: [transcribe("https://library.example/lectures/maps")] },
      (asked) => ({ calls: [check(["Maps", handle(asked, 0)]), save("maps.txt", handle(asked, 0))] }),
      "It has 3,000 words.",
    ],
    ["forbidden_tools"],
  ],
  [
    "it invents a handle",
    "pass-along",
    [{ calls: [transcribe()] }, { calls: [save("talks/opening.txt", invented)] }, "Saved."],
    ["tool_error", "invented_handle"],
  ],
  [
    "it invents a handle of another form",
    "pass-along",
    [{ calls: [transcribe()] }, { calls: [save("talks/opening.txt", "relay://transcript")] }, "Saved."],
    ["tool_error", "invented_handle"],
  ],
  [
    "it invents a handle deep in its arguments",
    "check-together",
    [
      { calls: [fetchPage(), fetchPage("https://museum.example/annual-report")] },
      (asked) => ({ calls: [check(["Visit", handle(asked, 0)], ["Annual report", invented])] }),
      "185 and 507.",
    ],
    ["tool_error", "invented_handle"],
  ],
  [
    "it uses a handle in the turn that creates it",
    "pass-along",
    [{ calls: [transcribe(), save("talks/opening.txt", invented)] }, "Saved."],
    ["tool_error", "invented_handle"],
  ],
  ["the answer is too long", "answer-directly", [`500 metres. ${"And so on. ".repeat(500)}`], ["max_tokens"]],
  ["it does not write", "pass-along", [{ calls: [transcribe()] }, "Saved."], ["missing_call"]],
  [
    "it writes the text itself, and not the handle",
    "pass-along",
    [{ calls: [transcribe()] }, { calls: [save("talks/opening.txt", "[00:00] The committee …")] }, "Saved."],
    ["opaque_id_input"],
  ],
  [
    "it puts the handle into a longer text, where it is not replaced",
    "pass-along",
    [
      { calls: [transcribe()] },
      (asked) => ({ calls: [save("talks/opening.txt", `See ${handle(asked, 0)}.`)] }),
      "Saved.",
    ],
    ["opaque_id_input"],
  ],
  [
    "a result is a handle, and was expected not to be",
    "keep-nothing",
    [
      { calls: [transcribe("https://library.example/lectures/maps")] },
      (asked) => ({ calls: [check(["Maps", handle(asked, 0)], ["One", manyFacts(1)], ["Other", manyFacts(2)])] }),
      "It has 3,000 words.",
    ],
    ["opaque_id_result"],
  ],
  [
    "a call fails",
    "pass-along",
    [
      { calls: [{ name: "transcribe_video", args: { url: "https://museum.example/talks/opening", language: "en" } }] },
      "No.",
    ],
    ["missing_call", "tool_error"],
  ],
  [
    "it calls an unknown tool",
    "answer-directly",
    [{ calls: [{ name: "convert_units", args: {} }] }, "500 metres."],
    ["unknown_tool"],
  ],
  ["it calls a tool without need", "answer-directly", [{ calls: [fetchPage()] }, "500 metres."], ["unlisted_tool"]],
  [
    "it opens a handle that it should only pass on",
    "pass-along",
    [
      { calls: [transcribe()] },
      (asked) => ({ calls: [grep(handle(asked, 0), "seats"), save("talks/opening.txt", handle(asked, 0))] }),
      "Saved.",
    ],
    ["unlisted_tool"],
  ],
];

function manyFacts(seed: number): string {
  const letters = (number: number) => String(number).replaceAll(/\d/g, (digit) => "abcdefghij"[Number(digit)] ?? "");
  return Array.from({ length: 400 }, (_, at) => `The height of tower ${letters(at)} is ${seed * at} metres.`).join(
    "\n",
  );
}

describe("a wrong script fails with the broken rules if", () => {
  const each = wrongs.map(([what, id, script, expected]) => ({ what, id, script, expected }));
  test.each(each)("$what", async ({ id, script, expected }) => {
    const result = await run(example(id), script);
    expect(result.status).toBe("failed");
    expect(rulesOf(result).sort()).toEqual([...expected].sort());
  });

  test("a result is not a handle, and was expected to be", async () => {
    const text = "---\ntool_calls: [{ tool_name: deep_check, opaque_id_result: true }]\n---\n\nCheck it.";
    const result = await run(readCaseFile(text, "short.md"), [{ calls: [check(["One", "Short."])] }, "Done."]);
    expect(rulesOf(result)).toEqual(["opaque_id_result"]);
  });

  test("each rule has a script that breaks it", () => {
    expect([...new Set(wrongs.flatMap(([, , , broken]) => broken))].sort()).toEqual([...rules]);
  });
});
