import { errorText } from "@toolpacks/core";
import type { UpstreamPack, UpstreamReport } from "@toolpacks/upstream";
import { announceWaiting, type LastLines } from "../commands/announce-waiting.ts";
import { summarizeToolChange, renderToolChange, renderToolWarning } from "../commands/render-tool-change.ts";
import { configFlags, type Settings } from "../config/settings.ts";
import type { Mounting } from "../mount/mounting.ts";
import { renderFacet } from "../mount/render-facet.ts";
import { shellQuote } from "../shell-quote.ts";

export interface ServerReport extends UpstreamReport {
  readonly facet: string;
  /** The key in `mcpServers`, if the facet is another name. */
  readonly key?: string;
  /** Whether all callers use the server with one identity, or each caller with its own. */
  readonly identity: "shared" | "caller";
  /** Whether there is a sign-in. Absent: the server's credentials, if any, are in its block. */
  readonly isSignedIn?: boolean;
}

export interface ServerChecks {
  readonly servers: readonly ServerReport[];
  readonly problems: readonly string[];
  readonly notes: readonly string[];
}

interface CheckOptions {
  readonly settings: Settings;
  /** The last lines that the servers wrote. */
  readonly lines: LastLines;
  /** The caller whose servers are checked, as `--caller` names it. */
  readonly caller: string | undefined;
}

/** Starts or connects to every other server once. */
export async function checkServers(
  { upstreams, plan }: Mounting,
  { settings, lines, caller }: CheckOptions,
): Promise<ServerChecks> {
  const waiting = new Set(upstreams.map(({ name }) => name));
  const stop = announceWaiting(waiting, lines);
  const perCaller = new Set(plan.servers.flatMap(({ name, isPerCaller }) => (isPerCaller ? [name] : [])));
  const ask = async (pack: UpstreamPack): Promise<ServerReport> => {
    const found = await pack.check();
    const signIn = await signInOf(pack);
    waiting.delete(pack.name);
    const { key = pack.name } = plan.servers.find(({ name }) => name === pack.name) ?? {};
    const renamed = key === pack.name ? {} : { key };
    return {
      facet: pack.name,
      ...renamed,
      identity: perCaller.has(pack.name) ? "caller" : "shared",
      ...found,
      ...signIn,
    };
  };
  const servers = await Promise.all(upstreams.map(ask)).finally(stop);
  const command = (name: string, facet: string, flags: readonly string[] = []) =>
    ["toolpacks", name, shellQuote(facet), ...flags, ...configFlags(settings.file)].join(" ");
  // Without a caller, there is no sign-in that all callers use.
  const needsCaller = ({ identity, isSignedIn }: ServerReport) =>
    identity === "caller" && isSignedIn === false && caller === undefined;
  const callerFlags = caller === undefined ? [] : ["--caller", shellQuote(caller)];
  return {
    servers,
    problems: servers.flatMap((server) =>
      problemsOf(needsCaller(server) ? { ...server, problem: undefined } : server, (facet) =>
        command("accept", facet, perCaller.has(facet) ? callerFlags : []),
      ),
    ),
    notes: servers
      .filter(needsCaller)
      .map(({ facet }) => `${facet}: each caller signs in: ${command("sign-in", facet, ["--caller", "<principal>"])}`),
  };
}

async function signInOf(pack: UpstreamPack): Promise<Partial<Pick<ServerReport, "isSignedIn" | "problem">>> {
  try {
    const isSignedIn = await pack.isSignedIn();
    return isSignedIn === undefined ? {} : { isSignedIn };
  } catch (error) {
    return { problem: { message: errorText(error) } };
  }
}

type CheckedServer = Omit<ServerReport, "problem"> & { readonly problem?: ServerReport["problem"] | undefined };

function problemsOf(
  { facet, changes, unmatched, unusable, leftOut, problem }: CheckedServer,
  acceptCommand: (facet: string) => string,
): readonly string[] {
  return [
    ...(problem === undefined
      ? []
      : [`${facet} cannot be used: ${[problem.message, problem.hint].filter(Boolean).join(". ")}`]),
    ...unmatchedProblems(facet, unmatched),
    ...unusable.map(({ name, reason }) => `${facet}: the tool ${name} is left out: ${reason}`),
    ...leftOut.map((item) => `${facet}: left out of ${item}`),
    ...(changes.length === 0 ? [] : [`${facet}: ${summarizeChanges(changes)}; to accept: ${acceptCommand(facet)}`]),
  ];
}

/** Problems for tool names in a server's block that the server does not have. Such a tool might be meant to be hidden. */
function unmatchedProblems(facet: string, unmatched: ServerReport["unmatched"]): readonly string[] {
  return unmatched.map(({ name, meant }) => {
    const question = meant === undefined ? "" : `; did you mean ${meant}?`;
    return `${facet}: its block names the tool ${name}, which it does not have${question}`;
  });
}

const maxChanges = 10;

function summarizeChanges(changes: ServerReport["changes"]): string {
  const summaries = changes.slice(0, maxChanges).map(summarizeToolChange);
  const more = changes.length > maxChanges ? `, and ${changes.length - maxChanges} more` : "";
  return `since its tools were accepted, ${summaries.join(", ")}${more}`;
}

/**
 * The lines about a server in the report.
 *
 * @param hasCallers whether the server may have several callers, so that it matters who shares an identity
 */
export function renderServer(report: ServerReport, hasCallers: boolean): readonly string[] {
  const { facet, key = facet, identity, server, tools, changes, warnings } = report;
  const known = server === undefined ? "nothing is known of it" : `${server.name} ${server.version}, ${tools} tools`;
  const shared = hasCallers ? ", used by all callers with one identity" : "";
  return [
    `server: ${renderFacet(key, facet)}, ${known}${identity === "caller" ? ", used by each caller with an identity of its own" : shared}`,
    ...warnings.slice(0, maxChanges).map((warning) => `  WARNING: ${renderToolWarning(warning)}`),
    ...changes.slice(0, maxChanges).flatMap((change) => renderToolChange(change).map((line) => `  ${line}`)),
  ];
}
