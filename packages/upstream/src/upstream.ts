import path from "node:path";
import type { Client } from "@modelcontextprotocol/client";
import { closest, createPack, ToolError, type Failure, type Pack, type Tool } from "@toolpacks/core";
import envPaths from "env-paths";
import type { ToolChange } from "./acceptance.ts";
import { cleanText } from "./clean-text.ts";
import { foreignTool } from "./foreign-tool.ts";
import type { Offer } from "./offer.ts";
import { troubleOf, type Known, type Offers, type Trouble } from "./offers.ts";
import { settleOptions, type UpstreamOptions, type UpstreamPlan } from "./options.ts";
import { refusal } from "./refusal.ts";
import { remoteOf } from "./remote-of.ts";
import type { Session } from "./session.ts";
import { namesHere, snakeCase } from "./tool-names.ts";
import { createServer, type UpstreamServer } from "./upstream-server.ts";

/** How a server is, as it was found a moment ago. */
export interface UpstreamReport {
  readonly server?: { readonly name: string; readonly version: string };
  readonly tools: number;
  /** What is new or changed since it was last accepted. */
  readonly changes: readonly ToolChange[];
  /** Tools that its options name and it does not have, with the one that was perhaps meant. */
  readonly unmatched: readonly { readonly name: string; readonly meant?: string }[];
  /** Why it cannot be used, and what to do about it. */
  readonly trouble?: Trouble;
}

/** Another server as a pack. */
export interface UpstreamPack extends Pack {
  readonly remote: NonNullable<Pack["remote"]>;
  /** Waits until its tools are known, or cannot be, however long the server takes. For a command that has nothing else to do. */
  ready(): Promise<void>;
  /** Connects, and asks for everything anew. Never rejects. */
  check(): Promise<UpstreamReport>;
  /** Accepts the tools as the server describes them now. Resolves to what had changed. */
  accept(): Promise<readonly ToolChange[]>;
  /** Signs in to a server with OAuth. @throws ToolError */
  signIn(open: (url: URL) => void | Promise<void>): Promise<void>;
}

/** A list of any length is never listed by the app's default; what one server takes where it is exposed is its own concern. */
const budget = 1_000_000;

/**
 * Any MCP server as a pack: `upstream({ name: "git", command: "uvx", args: ["mcp-server-git"] })`. Nothing is started or connected before
 * one of its tools is called, or, where nothing is cached of it, before its tools are asked for.
 *
 * @throws Error that names each wrong option
 */
export function upstream(options: UpstreamOptions): UpstreamPack {
  const plan = settleOptions(options);
  const prefix = `${snakeCase(plan.name)}_`;
  const paths = envPaths("toolpacks", { suffix: "" });
  const server = createServer(plan, {
    cache: path.join(plan.cacheDirectory ?? paths.cache, "upstream"),
    data: path.join(plan.dataDirectory ?? paths.data, "upstream"),
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
    missing: (name) => missing({ plan, prefix, offers, name }),
  });
  const pack = createPack({
    name: plan.name,
    description: descriptionOf(plan),
    budget,
    remote,
    tools: async () => toolsOf(await offers.get()),
  });
  return Object.assign(pack, {
    remote,
    ready: () => offers.ready(),
    check: () => check(server, plan),
    async accept() {
      await server.ask();
      const changes = offers.latest?.changes ?? [];
      await offers.accept();
      return changes;
    },
    async signIn(open: (url: URL) => void | Promise<void>) {
      if (!("url" in plan)) {
        throw new ToolError("invalid_input", `${plan.name} is started here: there is nothing to sign in to`);
      }
      await (await import("./sign-in.ts")).signIn(plan, { dataDirectory: server.dataDirectory, open });
    },
  });
}

async function check({ ask, offers }: UpstreamServer, plan: UpstreamPlan): Promise<UpstreamReport> {
  const trouble = await ask().then(() => offers.trouble, troubleOf);
  const { offer, changes = [] } = (await offers.get()) ?? {};
  return {
    ...(offer && { server: offer.server }),
    tools: offer?.tools.length ?? 0,
    changes,
    unmatched: offer === undefined ? [] : unmatched(plan, offer),
    ...(trouble !== undefined && { trouble }),
  };
}

function unmatched({ tools = {}, onlyTools = [] }: UpstreamPlan, offer: Offer): UpstreamReport["unmatched"] {
  const offered = offer.tools.map(({ name }) => name);
  const named = [...new Set([...Object.keys(tools), ...onlyTools])];
  return named
    .filter((name) => !offered.includes(name))
    .map((name) => {
      const meant = closest(name, offered);
      return { name, ...(meant !== undefined && { meant }) };
    });
}

/** What a server says of itself is its own word; who was asked to run it is ours. Further arguments may be secrets. */
function descriptionOf(plan: UpstreamPlan): string {
  const where =
    "command" in plan
      ? [path.basename(plan.command), ...plan.args.filter((one) => !one.startsWith("-")).slice(0, 1)].join(" ")
      : new URL(plan.url).host;
  return `The MCP server ${plan.name} (${cleanText(where).slice(0, 80)}).`;
}

/** The same array for the same offer, which is how a catalog knows that nothing has changed. */
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
  const refused = new Set(plan.pin ? known.changes.map(({ tool }) => tool) : []);
  const offeredBy = new Map(known.offer.tools.map((tool) => [tool.name, tool]));
  const here = toolNames(known, plan, prefix);
  return [...offeredBy.values()].flatMap((offered) => {
    const name = here.get(offered.name);
    if (name === undefined || refused.has(offered.name)) return [];
    // What was cached or offered a moment ago may not be what this connection offers.
    const admit = async (client: Client) => {
      const change = await offers.changeOf(offered.name, client);
      if (change === undefined) return;
      const { code, message, hint } = refusal(plan, change, name);
      throw new ToolError(code, message, hint);
    };
    return [foreignTool({ name, offered, plan, session, admit: plan.pin ? admit : undefined })];
  });
}

/** What each tool is called here, but for those that are hidden. One that is refused keeps its name from the others. */
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

/** A tool that is not there now, though it may be known to whoever asks for it. */
function missing({ plan, prefix, offers, name }: Missing): Failure | undefined {
  const { latest, trouble } = offers;
  if (latest === undefined) {
    const { message, hint = "Try again later, or do without it." } = trouble ?? { message: "it has not answered yet" };
    return {
      code: "unavailable",
      message: `${name} cannot be called: ${plan.name} is down (${message.slice(0, 600)})`,
      hint,
    };
  }
  if (!plan.pin || latest.changes.length === 0) return undefined;
  const here = toolNames(latest, plan, prefix);
  const change = latest.changes.find(({ tool }) => here.get(tool) === name);
  return change && refusal(plan, change, name);
}
