import path from "node:path";
import { closest, createPack, type Failure, type Pack, type Tool } from "@toolpacks/core";
import envPaths from "env-paths";
import type { ToolChange } from "./acceptance.ts";
import { cleanText } from "./clean-text.ts";
import { foreignTool } from "./foreign-tool.ts";
import type { Offer } from "./offer.ts";
import type { Known, Offers } from "./offers.ts";
import { settleOptions, type UpstreamOptions, type UpstreamPlan } from "./options.ts";
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
  /** Why it cannot be used. */
  readonly trouble?: string;
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
  const toolsOf = createToolTable(plan, prefix, session);
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
      if (!("url" in plan)) throw new Error(`${plan.name} is started here: there is nothing to sign in to`);
      await (await import("./sign-in.ts")).signIn(plan, { dataDirectory: server.dataDirectory, open });
    },
  });
}

async function check({ ask, offers }: UpstreamServer, plan: UpstreamPlan): Promise<UpstreamReport> {
  const trouble = await ask().then(
    () => offers.trouble,
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );
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
function createToolTable(plan: UpstreamPlan, prefix: string, session: () => Promise<Session>) {
  const none: readonly Tool[] = [];
  let last: { readonly of: Known; readonly tools: readonly Tool[] } | undefined;
  return (known: Known | undefined): readonly Tool[] => {
    if (known === undefined) return none;
    if (last?.of !== known) last = { of: known, tools: makeTools({ plan, prefix, known, session }) };
    return last.tools;
  };
}

interface ToolsToMake {
  readonly plan: UpstreamPlan;
  readonly prefix: string;
  readonly known: Known;
  readonly session: () => Promise<Session>;
}

function makeTools({ plan, prefix, known, session }: ToolsToMake): readonly Tool[] {
  const refused = new Set(plan.pin ? known.changes.map(({ tool }) => tool) : []);
  const byName = new Map(known.offer.tools.map((tool) => [tool.name, tool]));
  const shown = [...byName.values()].filter(({ name }) => !refused.has(name) && !isHidden(plan, name));
  const here = namesHere(
    prefix,
    shown.map(({ name }) => name),
    { rename: (name) => plan.tools?.[name]?.rename, avoid: plan.avoid },
  );
  return shown.map((offered) => foreignTool({ name: here.get(offered.name) ?? "", offered, plan, session }));
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
    const why = trouble ?? "it has not answered yet";
    return {
      code: "unavailable",
      message: `${name} cannot be called: ${plan.name} is down (${why.slice(0, 600)})`,
      hint: "Try again later, or do without it.",
    };
  }
  const change = plan.pin
    ? latest.changes.find(({ tool }) => `${prefix}${snakeCase(plan.tools?.[tool]?.rename ?? tool)}` === name)
    : undefined;
  if (change === undefined) return undefined;
  const what = change.what === "new" ? "is new" : `has another ${change.what}`;
  return {
    code: "denied",
    message: `${name} ${what} since the tools of ${plan.name} were accepted`,
    hint: `Whoever runs this server can look at it with toolpacks doctor, and accept it: toolpacks accept ${plan.name}`,
  };
}
