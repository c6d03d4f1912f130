import { closest, createPack, ToolError, type Pack } from "@toolpacks/core";
import type { OfferChange } from "./acceptance.ts";
import { singleLine } from "./clean-text.ts";
import type { Offer } from "./offer.ts";
import { problemOf, type Known, type UpstreamProblem } from "./offers.ts";
import { parseUpstreamOptions, type UpstreamOptions, type UpstreamPlan } from "./options.ts";
import { remoteOf } from "./remote-of.ts";
import type { OfferWarning } from "./suspicious-text.ts";
import { createToolTable } from "./tool-table.ts";
import { createServer } from "./upstream-server.ts";

/** The state of a server, just checked. */
export interface UpstreamReport {
  readonly server?: { readonly name: string; readonly version: string };
  readonly tools: number;
  /** Tools that cannot be used, and why. */
  readonly unusable: readonly { readonly name: string; readonly reason: string }[];
  /** Invalid items of its lists, and why. */
  readonly leftOut: readonly string[];
  /** Suspicious texts in the server's descriptions. */
  readonly warnings: readonly OfferWarning[];
  /** Tools and prompts that are new or changed since they were accepted. */
  readonly changes: readonly OfferChange[];
  /** Tools in the options that the server does not have, with the closest name. */
  readonly unmatched: readonly { readonly name: string; readonly meant?: string }[];
  /** Why it cannot be used, and what to do about it. */
  readonly problem?: UpstreamProblem;
}

/** Another server as a pack. */
export interface UpstreamPack extends Pack {
  readonly remote: NonNullable<Pack["remote"]>;
  /** Resolves when its tools are known or cannot be read. No timeout: for commands that have nothing else to do. */
  ready(): Promise<void>;
  /** Connects and reads the offer. Never rejects. */
  check(): Promise<UpstreamReport>;
  /** Accepts what the server offers now. Resolves to the report from before. @throws ToolError when it cannot be reached */
  accept(): Promise<UpstreamReport>;
  /** Whether tokens of a sign-in are stored. Undefined: the server's credentials are in its options. @throws Error when they cannot be read */
  isSignedIn(): Promise<boolean | undefined>;
  /** Signs in to a server with OAuth. `notify` gets a line when the server is slow to respond. @throws ToolError */
  signIn(open: (url: URL) => void | Promise<void>, notify?: (line: string) => void): Promise<void>;
}

/** No limit: the tools are listed only if the user exposes them. */
const budget = 1_000_000;

/**
 * Any MCP server as a pack: `upstream({ name: "git", command: "uvx", args: ["mcp-server-git"] })`. The server is started when one
 * of its tools is called, or when its tools are listed and not in the cache.
 *
 * @throws Error that names each wrong option
 */
export function upstream(options: UpstreamOptions): UpstreamPack {
  const plan = parseUpstreamOptions(options);
  const server = createServer(plan);
  const { offers, prefix } = server;
  const toolsOf = createToolTable(server);
  const remote = remoteOf(server, () => offers.latest && toolsOf(offers.latest));
  const pack = createPack({
    name: plan.name,
    // The command and the address may hold secrets, and say little.
    description: `Another MCP server; its tools begin with ${prefix}.`,
    budget,
    remote,
    tools: async () => toolsOf(await offers.get()),
  });
  return Object.assign(pack, {
    remote,
    ready: () => offers.ready(),
    async check() {
      const problem = await server.ask().then(() => offers.problem, problemOf);
      return report(await offers.get(), plan, problem);
    },
    async accept() {
      await server.ask();
      const found = await report(offers.latest, plan, offers.problem);
      await offers.accept();
      return found;
    },
    async isSignedIn() {
      if (!("url" in plan)) return undefined;
      const { hasSignIn } = await import("./authorization.ts");
      return hasSignIn(plan, await server.state());
    },
    async signIn(open: (url: URL) => void | Promise<void>, notify?: (line: string) => void) {
      if (!("url" in plan)) {
        throw new ToolError("invalid_input", `${plan.name} runs on this machine: a sign-in needs a server with a url`);
      }
      await (await import("./sign-in.ts")).signIn(plan, { state: await server.state(), open, notify });
    },
  });
}

async function report(
  known: Known | undefined,
  plan: UpstreamPlan,
  problem: UpstreamProblem | undefined,
): Promise<UpstreamReport> {
  const found = problem === undefined ? {} : { problem };
  if (known === undefined)
    return { tools: 0, unusable: [], leftOut: [], warnings: [], changes: [], unmatched: [], ...found };
  const { offer, changes } = known;
  const { offerWarnings } = await import("./suspicious-text.ts");
  const tooLarge = offer.tools.flatMap(({ name, unusable: reason }) =>
    reason === undefined ? [] : [{ name, reason }],
  );
  return {
    server: { name: singleLine(offer.server.name), version: singleLine(offer.server.version) },
    tools: offer.tools.length,
    unusable: tooLarge,
    leftOut: (offer.leftOut ?? []).map(singleLine),
    warnings: offerWarnings(offer),
    changes,
    unmatched: unmatched(plan, offer),
    ...found,
  };
}

function unmatched({ tools = {}, onlyTools = [] }: UpstreamPlan, offer: Offer): UpstreamReport["unmatched"] {
  const offered = offer.tools.map(({ name }) => name);
  const named = [...new Set([...Object.keys(tools), ...onlyTools])];
  return named
    .filter((name) => !offered.includes(name))
    .map((name) => {
      const meant = closest(name, offered);
      return { name, meant };
    });
}
