import type { Conversation, MadeCall } from "../conversation.ts";
import type { Expectation, WantedArgs, WantedCall } from "../expectation.ts";
import { handlesIn } from "../handles.ts";
import { opener } from "../open-tools.ts";
import type { Breach, Rule } from "./breach.ts";
import { wrongArgs } from "./match-args.ts";
import { atLeast, matchCalls, type Match } from "./match-calls.ts";

export interface JudgeOptions {
  /**
   * Whether long values are sent as handles. If not, expectations of handles and of `relay_read` are ignored, so that the same case shows the
   * cost without handles.
   */
  readonly hasHandles: boolean;
}

/** Finds the rules that a conversation broke. */
export function judge(
  expectation: Expectation,
  conversation: Conversation,
  { hasHandles }: JudgeOptions,
): readonly Breach[] {
  const numbered = conversation.calls.map((call, at) => ({ ...call, number: at + 1 }));
  const known = numbered.filter(({ isKnown }) => isKnown);
  return [
    ...numbered.filter(({ isKnown }) => !isKnown).map((call) => breach("unknown_tool", call, "there is no such tool")),
    ...known
      .filter(({ tool }) => expectation.forbidden_tools.includes(tool))
      .map((call) => breach("forbidden_tools", call, "the case forbids it")),
    ...judgeCalls(expectation, known, hasHandles),
    ...known.flatMap((call) => judgeArgs(expectation.args[call.tool], call)),
    ...inventedHandles(numbered),
    ...judgeAnswer(expectation, conversation),
  ];
}

type NumberedCall = MadeCall & { readonly number: number };

function judgeCalls(expectation: Expectation, made: readonly NumberedCall[], hasHandles: boolean): readonly Breach[] {
  const { tool_calls: all, forbidden_tools: forbidden } = expectation;
  if (all === undefined) return [];
  const wanted = hasHandles ? all : all.filter((call) => call.tool_name !== opener);
  const listed = new Set(wanted.map((call) => call.tool_name));
  const unlisted = made.filter(({ tool }) => !listed.has(tool) && !forbidden.includes(tool));
  const { matches, breaches } = matchCalls(
    wanted,
    made.filter(({ tool }) => listed.has(tool)),
  );
  return [
    ...unlisted.map((call) => breach("unlisted_tool", call, "it is not among tool_calls")),
    ...breaches,
    ...matches.flatMap((match) => judgeMatch(match, hasHandles)),
  ];
}

function judgeMatch({ wanted, made: calls }: Match<NumberedCall>, hasHandles: boolean): readonly Breach[] {
  const failed = calls.filter(({ failure }) => failure !== undefined);
  // A failed call is accepted if enough other calls of the same entry succeeded.
  const isRecovered = calls.length - failed.length >= atLeast(wanted);
  return [
    ...(isRecovered ? [] : failed.map((call) => breach("tool_error", call, `it failed: ${call.failure}`))),
    ...calls.flatMap((call) => judgeArgs(wanted.args, call)),
    ...(hasHandles ? calls.flatMap((call) => judgeHandles(wanted, call)) : []),
  ];
}

function judgeHandles(wanted: WantedCall, call: NumberedCall): readonly Breach[] {
  const { opaque_id_input: input, opaque_id_result: result } = wanted;
  const hasInput = handlesIn(call.args).length > 0;
  const hasResult = call.handles.length > 0;
  const inputBreach = breach(
    "opaque_id_input",
    call,
    hasInput ? "it was called with a handle" : "no handle is in its arguments",
  );
  const resultBreach = breach(
    "opaque_id_result",
    call,
    hasResult ? "its result was a handle" : "its result was not a handle",
  );
  return [
    ...(input !== undefined && input !== hasInput ? [inputBreach] : []),
    ...(result !== undefined && result !== hasResult && call.failure === undefined ? [resultBreach] : []),
  ];
}

function judgeArgs(wanted: WantedArgs | undefined, call: NumberedCall): readonly Breach[] {
  return wanted === undefined ? [] : wrongArgs(wanted, call.args).map((wrong) => breach("args", call, wrong));
}

/** Finds handles that no earlier turn has returned. Results of the same turn do not count: the model has not read them. */
function inventedHandles(calls: readonly NumberedCall[]): readonly Breach[] {
  return calls.flatMap((call) => {
    const returned = new Set(calls.filter(({ turn }) => turn < call.turn).flatMap((one) => one.handles));
    const invented = [...new Set(handlesIn(call.args))].filter((id) => !returned.has(id));
    return invented.map((id) =>
      breach("invented_handle", call, `no result returned ${JSON.stringify(id.slice(0, 80))}`),
    );
  });
}

function judgeAnswer(expectation: Expectation, { answer, turns, tokens }: Conversation): readonly Breach[] {
  const { answer_matches: patterns, max_tokens: maxTokens } = expectation;
  const total = tokens.in + tokens.out;
  const breaches: Breach[] = [];
  if (answer === undefined) breaches.push({ rule: "answer", message: `none after ${turns} turns` });
  else if (answer.trim() === "") breaches.push({ rule: "answer", message: "it is empty" });
  for (const pattern of answer === undefined ? [] : patterns) {
    const message = pattern.mismatch(answer ?? "");
    if (message !== undefined) breaches.push({ rule: "answer_matches", message });
  }
  if (maxTokens !== undefined && total > maxTokens)
    breaches.push({ rule: "max_tokens", message: `expected at most ${maxTokens}, it took ${total}` });
  return breaches;
}

function breach(rule: Rule, { tool, number }: NumberedCall, message: string): Breach {
  return { rule, message: `${tool} (call ${number}): ${message}` };
}
