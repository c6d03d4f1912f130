import { startModelEndpoint } from "@toolpacks/testkit";
import { expect, test } from "vitest";
import { readCaseFile } from "../case-file.ts";
import { openBoxed } from "../open-boxed.ts";
import { runCase } from "../run-case.ts";
import { simulated } from "../simulated/simulated.ts";
import { packClient } from "../tool-client.ts";

const made = {
  f: { name: "fetch_page", args: { url: "https://a.example/" } },
  w: { name: "write_drive", args: { path: "a.md", content: "a" } },
  v: { name: "write_drive", args: { path: "b.md", content: "b" } },
  c: { name: "deep_check", args: { documents: [{ title: "A", text: "a" }] } },
};

const once = { f: "fetch_page", w: "write_drive", c: "deep_check" };
const wanted = (letter: keyof typeof once, more = "") => `{ tool_name: ${once[letter]}${more && `, ${more}`} }`;
const any = "allow_multiple: true";

interface Sequence {
  /** The entries of `tool_calls`. */
  readonly wanted: readonly string[];
  /** The calls that a model makes, a letter each. */
  readonly calls: string;
  /** The broken rules, with their messages. */
  readonly broken: readonly string[];
}

const sequences: readonly Sequence[] = [
  { wanted: [wanted("f"), wanted("w")], calls: "fw", broken: [] },
  {
    wanted: [wanted("f"), wanted("w")],
    calls: "wf",
    broken: ["call_order: expected fetch_page, then write_drive; the calls were write_drive, then fetch_page"],
  },
  { wanted: [wanted("f", any), wanted("w")], calls: "fffw", broken: [] },
  {
    wanted: [wanted("f", any), wanted("w")],
    calls: "ffwf",
    broken: [
      "call_order: expected fetch_page, then write_drive; the calls were fetch_page, then write_drive, then fetch_page",
    ],
  },
  {
    wanted: [wanted("f", any), wanted("w", any)],
    calls: "fwfw",
    broken: [
      "call_order: expected fetch_page, then write_drive; the calls were fetch_page, then write_drive, then fetch_page, then write_drive",
    ],
  },
  { wanted: [wanted("f"), wanted("w"), wanted("f"), wanted("w")], calls: "fwfw", broken: [] },
  {
    wanted: [wanted("f"), wanted("w")],
    calls: "fww",
    broken: ["call_count: write_drive: expected 1 call, was called 2 times"],
  },
  {
    wanted: [wanted("f"), wanted("c"), wanted("f", "allow_multiple: { at_least: 2, at_most: 3 }")],
    calls: "fcf",
    broken: ["call_count: fetch_page: expected 2 to 3 calls, was called 1 time"],
  },
  { wanted: [wanted("f", "allow_multiple: { at_least: 0 }"), wanted("w")], calls: "w", broken: [] },
  { wanted: [wanted("f"), wanted("w")], calls: "f", broken: ["missing_call: write_drive was not called"] },
  // Consecutive entries of one tool share their calls: the first entry gets the calls that the last one does not need.
  { wanted: [wanted("w", any), wanted("w", "args: { path: b.md }")], calls: "wwv", broken: [] },
  {
    wanted: [wanted("w", any), wanted("w", "args: { path: b.md }")],
    calls: "wvw",
    broken: ['args: write_drive (call 3): path: expected "b.md", was "a.md"'],
  },
  {
    wanted: [wanted("f"), wanted("w", "allow_multiple: 2")],
    calls: "wcf",
    broken: [
      "unlisted_tool: deep_check (call 2): it is not among tool_calls",
      "call_order: expected fetch_page, then write_drive; the calls were write_drive, then fetch_page",
      "call_count: write_drive: expected 2 calls, was called 1 time",
    ],
  },
];

test.each(sequences)("calls $calls, of $wanted", async ({ wanted: entries, calls, broken }) => {
  const lines = Array.from(calls, (letter) => ({ calls: [made[letter as keyof typeof made]] }));
  const endpoint = await startModelEndpoint([...lines, "Done."]);
  const text = `---\ntool_calls: [${entries.join(", ")}]\n---\n\nDo it.\n`;
  const result = await runCase(readCaseFile(text, "case.md"), {
    profile: { name: "test", url: endpoint.baseUrl, urlFrom: "environment", model: "scripted" },
    tools: await openBoxed(packClient(simulated()), "opaque"),
    maxRetries: 0,
  });
  await endpoint.close();
  const breaches = "breaches" in result ? result.breaches : [];
  expect(breaches.map(({ rule, message }) => `${rule}: ${message}`)).toEqual(broken);
});
