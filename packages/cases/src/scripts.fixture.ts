import type { AskedModel, ModelAnswer, ScriptedAnswer } from "@toolpacks/testkit";

/** The answers of a model in one case, turn by turn. */
export type Script = readonly ScriptedAnswer[];

/** The handles in the conversation's results, in order. */
export function returnedHandles({ messages }: AskedModel): readonly string[] {
  const results = messages.filter(({ role }) => role === "tool").map(({ content }) => content ?? "");
  return [...new Set(results.flatMap((text) => text.match(/relay:\/\/[a-z2-7]{20}/g) ?? []))];
}

/** The handle at an index of the conversation's results. */
export function handle(asked: AskedModel, at: number): string {
  return returnedHandles(asked)[at] ?? `relay://no-handle-at-${at}`;
}

const visit = "https://museum.example/visit";
const report = "https://museum.example/annual-report";
const rooms = "https://library.example/rooms";
const opening = "https://museum.example/talks/opening";
const maps = "https://library.example/lectures/maps";

export const fetchPage = (url = visit) => ({ name: "fetch_page", args: { url } });
export const transcribe = (url = opening) => ({ name: "transcribe_video", args: { url } });
export const save = (path: string, content: string) => ({ name: "write_drive", args: { path, content } });
export const check = (...documents: readonly (readonly [title: string, text: string])[]) => ({
  name: "deep_check",
  args: { documents: documents.map(([title, text]) => ({ title, text })) },
});
export const grep = (of: string, pattern: string) => ({
  name: "relay_read",
  args: { handle: of, mode: "grep", pattern },
});

/** Scripts that pass the example cases, by case id. */
export const rightScripts: Readonly<Record<string, Script>> = {
  "pass-along": [
    { calls: [transcribe()] },
    (asked) => ({ calls: [save("talks/opening.txt", handle(asked, 0))] }),
    "The transcript is saved.",
  ],
  "open-in-part": [
    { calls: [fetchPage()] },
    (asked) => ({ calls: [grep(handle(asked, 0), "opening hour")] }),
    ({ prompt }) => `The museum opens at ${/opening hour is ([\d:]+)/.exec(prompt)?.[1]}.`,
  ],
  "check-together": [
    { calls: [fetchPage(visit), fetchPage(report)] },
    (asked) => ({ calls: [check(["Visit", handle(asked, 0)], ["Annual report", handle(asked, 1)])] }),
    ({ prompt }) => `It is ${/number of seats is (.+)/.exec(prompt)?.[1]}.`,
  ],
  "keep-nothing": [
    { calls: [transcribe(maps)] },
    (asked) => ({ calls: [check(["Maps", handle(asked, 0)])] }),
    ({ prompt }) => `It has ${/(\d+) words/.exec(prompt)?.[1]} words.`,
  ],
  "copy-each": [
    { calls: [fetchPage(visit), fetchPage(report)] },
    { calls: [fetchPage(rooms)] },
    (asked) => ({
      calls: ["visit", "annual-report", "rooms"].map((name, at) => save(`copies/${name}.md`, handle(asked, at))),
    }),
    "All three are copied.",
  ],
  "answer-directly": ["The one of 500 metres."],
};

/** A model that selects its script by the prompt, and the turn by the conversation. */
export function modelOf(scripts: readonly (readonly [prompt: string, script: Script])[]): ScriptedAnswer {
  return (asked): ModelAnswer => {
    const prompt = asked.messages.find(({ role }) => role === "user")?.content;
    const script = scripts.find(([one]) => one === prompt)?.[1] ?? [];
    const turn = asked.messages.filter(({ role }) => role === "assistant").length;
    const line = script[Math.min(turn, script.length - 1)] ?? 404;
    return typeof line === "function" ? line(asked) : line;
  };
}
