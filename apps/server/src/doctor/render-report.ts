import { isBundled } from "../mount/bundled-packs.ts";
import type { LeftOut } from "../mount/mount-plan.ts";
import type { Span } from "../print-terminal.ts";
import { renderServer, type ServerReport } from "./check-servers.ts";

export interface Report {
  readonly version: string;
  readonly node: string;
  readonly config?: string;
  /** Whether the config file is the one in the user's settings folder. */
  readonly isUserConfig?: boolean;
  /** Keys of the config file that are ignored because it is not trusted. */
  readonly ignored?: readonly string[];
  readonly settings?: Readonly<Record<string, { readonly value: unknown; readonly origin: string }>>;
  readonly surface?: string;
  readonly exposed?: readonly string[];
  readonly mounted?: readonly { readonly facet: string; readonly tools: number }[];
  readonly store?: string;
  /** How `serve --http` would authenticate its callers. */
  readonly callers?: readonly string[];
  /** Other servers, with the result of connecting to each. */
  readonly servers?: readonly ServerReport[];
  readonly leftOut?: readonly LeftOut[];
  /** Hints about settings that are valid but may be unintended. */
  readonly notes?: readonly string[];
  readonly problems: readonly string[];
}

const userConfigNote = " (in your settings folder; a client starts toolpacks with it by --config)";

/** A fact of the report: its first line follows the mark, and the others are below it. */
interface Fact {
  readonly mark: Mark;
  readonly lines: readonly string[];
}

type Mark = keyof typeof styles;

const styles = { "✗": "red", "!": "yellow", "✓": "green" } as const;

/** Renders a report, the worst first: problems, then warnings, then the rest. A terminal has `columns`; a pipe has none. */
export function renderReport(report: Report, columns?: number): readonly (readonly Span[])[] {
  const facts = factsOf(report);
  const marks = Object.keys(styles) as Mark[];
  const sorted = marks.flatMap((mark) => facts.filter((fact) => fact.mark === mark));
  const warnings = facts.filter(({ mark }) => mark === "!").length;
  return [
    [`toolpacks ${report.version} on Node ${report.node}`],
    ...sorted.flatMap((fact) => renderFact(fact, columns)),
    [{ text: summary(report.problems.length, warnings), style: report.problems.length > 0 ? "red" : "bold" }],
  ];
}

function factsOf(report: Report): readonly Fact[] {
  const { settings = {}, mounted = [], callers = [], leftOut = [], notes = [], problems, servers = [] } = report;
  const changed = Object.entries(settings).filter(([, { origin }]) => origin !== "default");
  const isUsable = report.settings !== undefined;
  return [
    ...problems.map((problem) => fact("✗", problem)),
    ...notes.map((note) => fact("!", `note: ${note}`)),
    ...leftOut.map(({ name, reason, hint, isOptional }) =>
      isOptional === true
        ? fact("✓", `not mounted: ${nameOf(name)}: ${reason}. ${hint}`)
        : fact("!", `left out: ${nameOf(name)}: ${reason}. ${hint}`),
    ),
    fact(
      isUsable ? "✓" : "✗",
      `config: ${report.config ?? (isUsable ? "none found" : "cannot be used")}${report.isUserConfig === true ? userConfigNote : ""}`,
    ),
    ...changed.map(([name, { value, origin }]) => fact("✓", `${name}: ${JSON.stringify(value)} (${origin})`)),
    ...(report.surface === undefined
      ? []
      : [fact("✓", `surface: ${report.surface}, exposed: ${report.exposed?.join(", ") || "nothing"}`)]),
    ...mounted.map(({ facet, tools }) => fact("✓", `mounted: ${facet}, ${count(tools, "tool")}`)),
    ...servers.map((server) => ({ mark: serverMark(server), lines: renderServer(server, callers.length > 0) })),
    ...(report.store === undefined ? [] : [fact("✓", `store: ${report.store}`)]),
    ...callers.map((source) => fact("✓", `callers over HTTP: ${source}`)),
  ];
}

/** The name of what is left out. Another server may have a similar name. */
function nameOf(name: string): string {
  return isBundled(name) ? `the pack ${name}` : name;
}

function fact(mark: Mark, line: string): Fact {
  return { mark, lines: [line] };
}

/** The problems of a server are facts of their own. */
function serverMark({ problem, changes, warnings }: ServerReport): Mark {
  return problem !== undefined || changes.length > 0 || warnings.length > 0 ? "!" : "✓";
}

function renderFact({ mark, lines }: Fact, columns: number | undefined): readonly (readonly Span[])[] {
  const [first = "", ...others] = lines.flatMap((line) => wrap(line, columns));
  return [[{ text: mark, style: styles[mark] }, ` ${first}`], ...others.map((line) => [`  ${line}`])];
}

/** Wraps a line between its words, with two columns for the mark. */
function wrap(line: string, columns: number | undefined): readonly string[] {
  if (columns === undefined || columns < 40) return [line];
  const indent = /^ */.exec(line)?.[0] ?? "";
  const lines: string[] = [];
  let current = indent;
  for (const word of line.slice(indent.length).split(" ")) {
    const isEmpty = current.trim() === "";
    if (!isEmpty && current.length + 1 + word.length > columns - 2) {
      lines.push(current);
      current = `${indent}  ${word}`;
    } else current = isEmpty ? `${current}${word}` : `${current} ${word}`;
  }
  return [...lines, current];
}

function summary(problems: number, warnings: number): string {
  const found = problems === 0 ? "no problems" : count(problems, "problem");
  return warnings === 0 ? found : `${found}, ${count(warnings, "warning")}`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
