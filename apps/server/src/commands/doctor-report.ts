import { isBundled } from "../config/bundled-names.ts";
import type { LeftOut } from "../mount/mount-plan.ts";
import type { Span } from "@toolpacks/terminal";
import type { EntryReport } from "./check-clients.ts";
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
  /** What tools and records are found by. */
  readonly foundBy?: string;
  /** How `serve --http` would authenticate its callers. */
  readonly callers?: readonly string[];
  /** The entries of clients that start this server, with the result of starting each. */
  readonly clients?: readonly EntryReport[];
  /** Other servers, with the result of connecting to each. */
  readonly servers?: readonly ServerReport[];
  readonly leftOut?: readonly LeftOut[];
  /** Hints about settings that are valid but may be unintended. */
  readonly notes?: readonly string[];
  readonly problems: readonly string[];
}

const userConfigNote = " (in your settings folder; a client starts toolpacks with it by --config)";

/** A fact of the report: its first line follows the mark, and the others are below it. */
type Fact = readonly [mark: Mark, ...lines: readonly string[]];

type Mark = keyof typeof styles;

/** The marks, in the order of the report: problems, then warnings, then the rest. */
const styles = { "✗": "red", "!": "yellow", "✓": "green" } as const;

export function renderReport(report: Report): readonly (readonly Span[])[] {
  const facts = factsOf(report);
  const marks = Object.keys(styles) as Mark[];
  const sorted = facts.toSorted(([one], [other]) => marks.indexOf(one) - marks.indexOf(other));
  const [problems, warnings] = [report.problems.length, facts.filter(([mark]) => mark === "!").length];
  const found = problems === 0 ? "no problems" : count(problems, "problem");
  const summary = warnings === 0 ? found : `${found}, ${count(warnings, "warning")}`;
  return [
    [`toolpacks ${report.version} on Node ${report.node}`],
    ...sorted.flatMap(([mark, first, ...others]) => [
      [{ text: mark, style: styles[mark] }, ` ${first}`],
      ...others.map((line) => [`  ${line}`]),
    ]),
    [{ text: summary, style: problems > 0 ? "red" : "bold" }],
  ];
}

function factsOf(report: Report): readonly Fact[] {
  const { settings, mounted = [], callers = [], clients = [], leftOut = [], notes = [] } = report;
  const { problems, servers = [] } = report;
  const config = report.config ?? (settings === undefined ? "cannot be used" : "none found");
  const changed = Object.entries(settings ?? {}).filter(([, { origin }]) => origin !== "default");
  return [
    ...problems.map((problem): Fact => ["✗", problem]),
    ...notes.map((note): Fact => ["!", `note: ${note}`]),
    ...leftOut.map(({ name, reason, hint, isOptional = false }): Fact => {
      const what = `${isBundled(name) ? `the pack ${name}` : name}: ${reason}. ${hint}`;
      return isOptional ? ["✓", `not mounted: ${what}`] : ["!", `left out: ${what}`];
    }),
    [settings === undefined ? "✗" : "✓", `config: ${config}${report.isUserConfig === true ? userConfigNote : ""}`],
    ...changed.map(([name, { value, origin }]): Fact => ["✓", `${name}: ${JSON.stringify(value)} (${origin})`]),
    ...clients.flatMap(({ entry, roots, tools = 0 }): readonly Fact[] => {
      const line = `client: ${entry} answers with ${count(tools, "tool")}, roots: ${roots.join(", ") || "the client's"}`;
      return tools > 0 ? [["✓", line]] : [];
    }),
    ...facts(report.surface, (name) => `surface: ${name}, exposed: ${report.exposed?.join(", ") || "nothing"}`),
    ...mounted.map(({ facet, tools }): Fact => ["✓", `mounted: ${facet}, ${count(tools, "tool")}`]),
    ...servers.map((server): Fact => [serverMark(server), ...renderServer(server, callers.length > 0)]),
    ...facts(report.store, (store) => `store: ${store}`),
    ...facts(report.foundBy, (means) => `found by: ${means}`),
    ...callers.map((source): Fact => ["✓", `callers over HTTP: ${source}`]),
  ];
}

function facts(value: string | undefined, render: (value: string) => string): readonly Fact[] {
  return value === undefined ? [] : [["✓", render(value)]];
}

/** The problems of a server are facts of their own. */
function serverMark({ problem, changes, warnings }: ServerReport): Mark {
  return problem !== undefined || changes.length > 0 || warnings.length > 0 ? "!" : "✓";
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
