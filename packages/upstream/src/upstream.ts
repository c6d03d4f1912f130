import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { closest, createPack, ToolError, type Failure, type Pack, type Tool } from "@toolpacks/core";
import type { OfferChange } from "./acceptance.ts";
import { singleLine } from "./clean-text.ts";
import { signInMessage } from "./cli-hint.ts";
import { foreignTool } from "./foreign-tool.ts";
import type { Offer } from "./offer.ts";
import { problemOf, type Known, type Offers, type UpstreamProblem } from "./offers.ts";
import { parseUpstreamOptions, type UpstreamOptions, type UpstreamPlan } from "./options.ts";
import { heldBack, refusal } from "./refusal.ts";
import { remoteOf } from "./remote-of.ts";
import type { Session } from "./session.ts";
import { namesHere, snakeCase } from "./tool-names.ts";
import type { OfferWarning } from "./suspicious-text.ts";
import { createServer } from "./upstream-server.ts";
import { userFolder } from "./user-folder.ts";

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
  const prefix = `${snakeCase(plan.name)}_`;
  const server = createServer(plan, {
    cache: path.join(plan.cacheDirectory ?? userFolder("cache"), "upstream"),
    data: path.join(plan.dataDirectory ?? userFolder("data"), "upstream"),
  });
  const { offers, session, end } = server;
  const toolsOf = createToolTable({ plan, prefix, offers, session });
  const remote = remoteOf({
    plan,
    prefix,
    offers,
    session,
    end,
    tools: () => offers.latest && toolsOf(offers.latest),
    async about() {
      const known = await offers.known();
      if (known === undefined) return undefined;
      const { aboutServer } = await import("./about-server.ts");
      return aboutServer(plan.name, known.offer);
    },
    missing: (name) => missing({ plan, prefix, offers, name }),
  });
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

/** Caches the tools of an offer: the catalog detects changes by the identity of the array. */
function createToolTable(table: ToolTable) {
  const none: readonly Tool[] = [];
  let last: { readonly of: Known; readonly tools: readonly Tool[] } | undefined;
  return (known: Known | undefined): readonly Tool[] => {
    if (known === undefined) return none;
    if (last?.of !== known) last = { of: known, tools: makeTools(known, table) };
    return last.tools;
  };
}

interface ToolTable {
  readonly plan: UpstreamPlan;
  readonly prefix: string;
  readonly offers: Offers;
  readonly session: () => Promise<Session>;
}

function makeTools(known: Known, { plan, prefix, offers, session }: ToolTable): readonly Tool[] {
  const held = new Set(heldBack(known, plan, "tool").map(({ name }) => name));
  const offeredBy = new Map(known.offer.tools.map((tool) => [tool.name, tool]));
  const here = toolNames(known, plan, prefix);
  return [...offeredBy.values()].flatMap((offered) => {
    const name = here.get(offered.name);
    if (name === undefined || offered.unusable !== undefined || held.has(offered.name)) return [];
    // The connection may offer other tools than the cached offer.
    const admit = async (client: Client) => {
      const change = await offers.changeOf("tool", offered.name, client);
      if (change !== undefined) throw refusal(plan, change, name);
    };
    const accepted = known.hints.get(offered.name) ?? {};
    return [
      foreignTool({ name, offered, accepted, plan, session, admit: plan.changes === "hold" ? admit : undefined }),
    ];
  });
}

/** The names of the tools here, without hidden ones. A tool that is held back keeps its name. */
function toolNames({ offer }: Known, plan: UpstreamPlan, prefix: string): ReadonlyMap<string, string> {
  const shown = offer.tools.map(({ name }) => name).filter((name) => !isHidden(plan, name));
  return namesHere(prefix, shown, { rename: (name) => plan.tools?.[name]?.rename, avoid: plan.avoid });
}

function isHidden({ tools, onlyTools }: UpstreamPlan, name: string): boolean {
  return tools?.[name]?.hide === true || onlyTools?.includes(name) === false;
}

interface Missing {
  readonly plan: UpstreamPlan;
  readonly prefix: string;
  readonly offers: Offers;
  readonly name: string;
}

/** The failure for a tool that is not available now. */
function missing({ plan, prefix, offers, name }: Missing): Failure | undefined {
  const { latest, problem } = offers;
  if (latest === undefined) {
    const { message, hint = "Try again later, or do without it." } = problem ?? { message: "it has not answered yet" };
    const isSignInMissing = message === signInMessage(plan);
    const why = isSignInMissing ? message : `${plan.name} is down (${message.slice(0, 600)})`;
    return { code: "unavailable", message: `${name} cannot be called: ${why}`, hint };
  }
  const here = toolNames(latest, plan, prefix);
  const offered = latest.offer.tools.find((tool) => here.get(tool.name) === name);
  if (offered?.unusable !== undefined) {
    return {
      code: "denied",
      message: `${name} cannot be used: ${offered.unusable}`,
      hint: `Only the author of ${plan.name} can change it. Its other tools work.`,
    };
  }
  const change = heldBack(latest, plan, "tool").find((one) => one.name === offered?.name);
  return change && refusal(plan, change, name);
}
