import { styleText } from "node:util";
import { tableLines } from "@toolpacks/terminal";
import type { MadeCall } from "../conversation.ts";
import type { CaseResult } from "../run-case.ts";
import type { Paint, StyledLine, StyledText } from "./print.ts";
import type { CaseRun } from "./run-cases.ts";

/** Creates the paint function. Without a flag, colours are used on a terminal unless `NO_COLOR` is set. */
export function createPaint(hasColor: boolean | undefined): Paint {
  if (hasColor === false) return (_, text) => text;
  if (hasColor === true) return (style, text) => styleText(style, text, { validateStream: false });
  return (style, text) => styleText(style, text, { stream: process.stdout });
}

const verdicts = {
  passed: ["green", "PASS"],
  failed: ["red", "FAIL"],
  ran: ["green", "RAN"],
  not_run: ["yellow", "NOT RUN"],
} as const satisfies Record<CaseResult["status"], readonly [style: StyledText["style"], word: string]>;

/** Renders a finished run: its result, and for a failed case the broken rules and the calls. A prompt without expectations shows its answer. */
export function renderRun({ caseFile, profile, hasFewShot, result }: CaseRun): readonly StyledLine[] {
  const [style, text] = verdicts[result.status];
  return [[{ style, text }, ` ${caseFile.id} (${profile.model}${hasFewShot ? ", few-shot" : ""})`], ...detail(result)];
}

function detail(result: CaseResult): readonly StyledLine[] {
  if (result.status === "not_run") return [[`  ${result.problem}`]];
  const { conversation, breaches } = result;
  if (result.status === "passed") return [];
  if (result.status === "ran") {
    const answer = (conversation.answer ?? `no answer after ${conversation.turns} turns`).trim();
    return answer.split(/\r?\n/).map((line) => [`  ${line}`]);
  }
  return [
    ...breaches.map(({ rule, message }): StyledLine => ["  ", { style: "red", text: rule }, `: ${message}`]),
    ...conversation.calls.map((call, at) => dim(`  ${at + 1}. ${renderCall(call)}`)),
    dim(`  answer: ${short(conversation.answer ?? "none")}`),
  ];
}

function dim(text: string): StyledLine {
  return [{ style: "dim", text }];
}

function renderCall({ tool, args, handles, failure }: MadeCall): string {
  const outcome = failure === undefined ? handles.map((id) => ` → relay://${id}`).join("") : ` → ${short(failure)}`;
  return `${tool} ${short(typeof args === "string" ? args : JSON.stringify(args))}${outcome}`;
}

const maxShownLength = 200;

function short(text: string): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  return line.length > maxShownLength ? `${line.slice(0, maxShownLength).toWellFormed()}…` : line;
}

/** Renders the table of model × case × few-shot with tokens and calls. Estimated tokens have a `~`. */
export function renderTable(runs: readonly CaseRun[]): readonly string[] {
  const rows = runs.map(({ caseFile, profile, hasFewShot, result }) => [
    profile.name,
    profile.model,
    caseFile.id,
    hasFewShot ? "yes" : "no",
    verdicts[result.status][1],
    ...counts(result),
  ]);
  const titles = ["PROFILE", "MODEL", "CASE", "FEW-SHOT", "RESULT", "TOKENS IN", "TOKENS OUT", "CALLS"];
  return [...tableLines({ columns: titles.map((title) => ({ title })), rows }), renderTotal(runs)];
}

function renderTotal(runs: readonly CaseRun[]): string {
  const count = (status: CaseResult["status"]) => runs.filter(({ result }) => result.status === status).length;
  const words = { passed: "passed", failed: "failed", ran: "ran", not_run: "not run" } as const;
  const statuses = Object.keys(words) as (keyof typeof words)[];
  return statuses.flatMap((status) => (count(status) === 0 ? [] : [`${count(status)} ${words[status]}`])).join(", ");
}

function counts(result: CaseResult): readonly (string | number)[] {
  if (result.status === "not_run") return ["", "", ""];
  const { tokens, calls } = result.conversation;
  const shown = (count: number) => (tokens.isEstimated ? `~${count}` : count);
  return [shown(tokens.in), shown(tokens.out), calls.length];
}

/** Renders the conversation, one message per line. */
export function renderContext({ caseFile, result }: CaseRun): readonly string[] {
  if (result.status === "not_run") return [];
  return [`context of ${caseFile.id}:`, ...result.conversation.messages.map((message) => JSON.stringify(message))];
}

/** The JSON value of a run, for `--json`. */
export function describeRun({ caseFile, profile, hasFewShot, result }: CaseRun, withContext: boolean) {
  const about = {
    profile: profile.name,
    model: profile.model,
    case: caseFile.id,
    file: caseFile.file,
    fewShot: hasFewShot,
    status: result.status,
  };
  if (result.status === "not_run") return { ...about, problem: result.problem };
  const { conversation, breaches } = result;
  const { tokens, turns, calls, answer, messages } = conversation;
  return {
    ...about,
    breaches,
    tokens: { in: tokens.in, out: tokens.out, estimated: tokens.isEstimated },
    turns,
    calls: calls.map(({ tool, args, turn, handles, failure }) => ({
      tool,
      args,
      turn,
      handles: handles.map((id) => `relay://${id}`),
      failure,
    })),
    answer,
    ...(withContext && { context: messages }),
  };
}
