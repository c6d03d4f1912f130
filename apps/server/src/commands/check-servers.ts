import { errorText } from "@toolpacks/core";
import { announceWaiting, type Io, shellQuote } from "@toolpacks/terminal";
import type { UpstreamPack, UpstreamReport } from "@toolpacks/upstream";
import { renderToolChange, renderToolWarning, summarizeToolChange } from "./render-tool-change.ts";
import { configFlags } from "../config/settings.ts";
import type { Mounting } from "../mount/mounting.ts";
import { renderFacet } from "../mount/render-facet.ts";

export interface ServerReport extends UpstreamReport {
  readonly facet: string;
  /** The key in `mcpServers`, if the facet is another name. */
  readonly key?: string;
  /** Whether all callers use the server with one identity, or each caller with its own. */
  readonly identity: "shared" | "caller";
  /** Whether there is a sign-in. Absent: the server's credentials, if any, are in its block. */
  readonly isSignedIn?: boolean;
}

interface CheckOptions {
  readonly io: Io;
  /** The last line that a server wrote. */
  readonly lastLine: (server: string) => string | undefined;
  /** The caller whose servers are checked, as `--caller` names it. */
  readonly caller: string | undefined;
}

/** Starts or connects to every other server once. */
export async function checkServers(mounting: Mounting, { io, lastLine, caller }: CheckOptions) {
  const { upstreams, plan, settings } = mounting;
  const waiting = new Set(upstreams.map(({ name }) => name));
  const stop = announceWaiting(io, waiting, lastLine);
  const ask = async (pack: UpstreamPack): Promise<ServerReport> => {
    const planned = plan.servers.find(({ name }) => name === pack.name);
    const report = { ...(await pack.check()), ...(await signInOf(pack)) };
    waiting.delete(pack.name);
    const key = planned?.key === pack.name ? undefined : planned?.key;
    return { facet: pack.name, key, identity: planned?.isPerCaller === true ? "caller" : "shared", ...report };
  };
  const servers = await Promise.all(upstreams.map(ask)).finally(stop);
  // Without a caller, there is no sign-in that all callers use.
  const isUnchecked = ({ identity, isSignedIn }: ServerReport) =>
    identity === "caller" && isSignedIn === false && caller === undefined;
  const command = (name: string, facet: string, user?: string) => {
    const flags = user === undefined ? [] : ["--caller", user];
    return ["toolpacks", name, shellQuote(facet), ...flags, ...configFlags(settings.file)].join(" ");
  };
  const problems = servers.flatMap((server) => {
    const { facet, identity } = server;
    const user = caller === undefined || identity === "shared" ? undefined : shellQuote(caller);
    const usable = isUnchecked(server) ? { ...server, problem: undefined } : server;
    return problemsOf(usable, command("accept", facet, user));
  });
  const notes = servers
    .filter(isUnchecked)
    .map(({ facet }) => `${facet}: each caller signs in: ${command("sign-in", facet, "<principal>")}`);
  return { servers, problems, notes };
}

async function signInOf(pack: UpstreamPack): Promise<Partial<Pick<ServerReport, "isSignedIn" | "problem">>> {
  try {
    const isSignedIn = await pack.isSignedIn();
    return isSignedIn === undefined ? {} : { isSignedIn };
  } catch (error) {
    return { problem: { message: errorText(error) } };
  }
}

/** The problems of a server. The command accepts its tools. */
function problemsOf(report: ServerReport, accept: string): readonly string[] {
  const { facet, changes, unmatched, unusable, leftOut, problem } = report;
  const cause = [problem?.message, problem?.hint].filter(Boolean).join(". ");
  const summaries = changes.slice(0, maxChanges).map(summarizeToolChange);
  const more = changes.length > maxChanges ? `, and ${changes.length - maxChanges} more` : "";
  return [
    ...(problem === undefined ? [] : [`${facet} cannot be used: ${cause}`]),
    // A tool that the server does not have might be meant to be hidden.
    ...unmatched.map(({ name, meant }) => {
      const question = meant === undefined ? "" : `; did you mean ${meant}?`;
      return `${facet}: its block names the tool ${name}, which it does not have${question}`;
    }),
    ...unusable.map(({ name, reason }) => `${facet}: the tool ${name} is left out: ${reason}`),
    ...leftOut.map((item) => `${facet}: left out of ${item}`),
    ...(changes.length === 0
      ? []
      : [`${facet}: since its tools were accepted, ${summaries.join(", ")}${more}; to accept: ${accept}`]),
  ];
}

const maxChanges = 10;

/**
 * The lines about a server in the report.
 *
 * @param hasCallers whether the server may have several callers, so that it matters who shares an identity
 */
export function renderServer(report: ServerReport, hasCallers: boolean): readonly string[] {
  const { facet, key = facet, identity, server, tools, changes, warnings } = report;
  const known = server === undefined ? "nothing is known of it" : `${server.name} ${server.version}, ${tools} tools`;
  const shared = hasCallers ? ", used by all callers with one identity" : "";
  const use = identity === "caller" ? ", used by each caller with an identity of its own" : shared;
  return [
    `server: ${renderFacet(key, facet)}, ${known}${use}`,
    ...warnings.slice(0, maxChanges).map((warning) => `  WARNING: ${renderToolWarning(warning)}`),
    ...changes.slice(0, maxChanges).flatMap((change) => renderToolChange(change).map((line) => `  ${line}`)),
  ];
}
