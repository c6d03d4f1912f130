import { InvalidArgumentError, type Command } from "commander";
import type { TraceFlags } from "../commands/traces.ts";
import { parseCount } from "./flags.ts";
import { addProjectFlags } from "./record-flags.ts";

/** Adds the command that shows past calls. */
export function addTraceCommands(program: Command): void {
  addProjectFlags(
    program
      .command("traces")
      .description("show the last calls of tools, the newest last")
      .option("--follow", "print new calls as they end, until interrupted")
      .option("--failed", "only calls that failed or were refused")
      .option("--tool <name>", "only calls of this tool; issue_* for every tool that begins so")
      .option("--since <time>", "only calls since then: 30m, 12h, 7d, or a date or time as 2027-01-31", parseSince)
      .option("--limit <count>", "maximum number of past calls", parseCount, 20)
      .option("--json", "print JSON; with --follow one line per call"),
  ).action(async (flags: TraceFlags) => (await import("../commands/traces.ts")).showTraces(flags));
}

const unitMs: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Reads a time or the time since then, as an ISO time. */
function parseSince(text: string): string {
  const [, count, unit = ""] = /^(\d{1,6})([smhd])$/.exec(text) ?? [];
  if (count !== undefined) return new Date(Date.now() - Number(count) * (unitMs[unit] ?? 0)).toISOString();
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  if (!Number.isNaN(time)) return new Date(time).toISOString();
  throw new InvalidArgumentError("expected a number of seconds, minutes, hours or days, such as 30m, or a date");
}
