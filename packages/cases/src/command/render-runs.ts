import { print, printTable, type Io, type Span } from "@toolpacks/terminal";
import type { MadeCall } from "../conversation.ts";
import type { CaseResult } from "../run-case.ts";
import type { CaseRun } from "./run-cases.ts";

type Line = readonly Span[];

const verdicts = {
  passed: ["green", "PASS"],
  failed: ["red", "FAIL"],
  ran: ["green", "RAN"],
  not_run: ["yellow", "NOT RUN"],
} as const satisfies Record<CaseResult["status"], readonly [style: string, word: string]>;

/** Renders a finished run: its result, and for a failed case the broken rules and the calls. A prompt without expectations shows its answer. */
export function renderRun({ caseFile, profile, hasFewShot, result }: CaseRun): readonly Line[] {
  const [style, text] = verdicts[result.status];
  return [[{ style, text }, ` ${caseFile.id} (${profile.model}${hasFewShot ? ", few-shot" : ""})`], ...detail(result)];
}

function detail(result: CaseResult): readonly Line[] {
  if (result.status === "not_run") return [[`  ${result.problem}`]];
  const { conversation, breaches } = result;
  if (result.status === "passed") return [];
  if (result.status === "ran") {
    const answer = (conversation.answer ?? `no answer after ${conversation.turns} turns`).trim();
    return answer.split(/\r?\n/).map((line) => [`  ${line}`]);
  }
  return [
    ...breaches.map(({ rule, message }): Line => ["  ", { style: "red", text: rule }, `: ${message}`]),
    ...conversation.calls.map((call, at) => dim(`  ${at + 1}. ${renderCall(call)}`)),
    dim(`  answer: ${short(conversation.answer ?? "none")}`),
  ];
}

function dim(text: string): Line {
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

/** Prints the table of model × case × few-shot with tokens and calls, and the totals. Estimated tokens have a `~`. */
export function printRuns(io: Io, runs: readonly CaseRun[]): void {
  const rows = runs.map(({ caseFile, profile, hasFewShot, result }) => [
    profile.name,
    profile.model,
    caseFile.id,
    hasFewShot ? "yes" : "no",
    verdicts[result.status][1],
    ...counts(result),
  ]);
  const titles = ["PROFILE", "MODEL", "CASE", "FEW-SHOT", "RESULT", "TOKENS IN", "TOKENS OUT", "CALLS"];
  print(io, "");
  printTable(io, { columns: titles.map((title) => ({ title, minWidth: title.length })), rows });
  const total = Object.entries(Object.groupBy(runs, ({ result }) => result.status));
  print(io, total.map(([status, { length }]) => `${length} ${status.replace("_", " ")}`).join(", "));
}

function counts(result: CaseResult): readonly (string | number)[] {
  if (result.status === "not_run") return ["", "", ""];
  const { tokens, calls } = result.conversation;
  const shown = (count: number) => (tokens.isEstimated ? `~${count}` : count);
  return [shown(tokens.in), shown(tokens.out), calls.length];
}

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
  const { messages, ...conversation } = result.conversation;
  return { ...about, breaches: result.breaches, ...conversation, ...(withContext && { context: messages }) };
}
