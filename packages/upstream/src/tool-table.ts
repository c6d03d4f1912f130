import type { Failure, Tool } from "@toolpacks/core";
import { signInMessage } from "./cli-hint.ts";
import { foreignTool } from "./foreign-tool.ts";
import type { Known } from "./offers.ts";
import type { UpstreamPlan } from "./options.ts";
import { heldBack, refusal } from "./refusal.ts";
import { namesHere } from "./tool-names.ts";
import type { UpstreamServer } from "./upstream-server.ts";

/** Caches the tools of an offer: the catalog detects changes by the identity of the array. */
export function createToolTable(server: UpstreamServer) {
  const none: readonly Tool[] = [];
  let last: { readonly of: Known; readonly tools: readonly Tool[] } | undefined;
  return (known: Known | undefined): readonly Tool[] => {
    if (known === undefined) return none;
    if (last?.of !== known) last = { of: known, tools: makeTools(known, server) };
    return last.tools;
  };
}

function makeTools(known: Known, server: UpstreamServer): readonly Tool[] {
  const { plan } = server;
  const held = new Set(heldBack(known, plan, "tool").map(({ name }) => name));
  const offeredBy = new Map(known.offer.tools.map((tool) => [tool.name, tool]));
  const here = toolNames(known, server);
  return [...offeredBy.values()].flatMap((offered) => {
    const name = here.get(offered.name);
    if (name === undefined || offered.unusable !== undefined || held.has(offered.name)) return [];
    const accepted = known.hints.get(offered.name) ?? {};
    return [foreignTool(server, { name, offered, accepted, inverse: inverseOf(plan.undo?.[offered.name], here) })];
  });
}

/** The names of the tools here, without hidden ones. A tool that is held back keeps its name. */
function toolNames({ offer }: Known, { plan, prefix }: UpstreamServer): ReadonlyMap<string, string> {
  const shown = offer.tools.map(({ name }) => name).filter((name) => !isHidden(plan, name));
  return namesHere(prefix, shown, { rename: (name) => plan.tools?.[name]?.rename, avoid: plan.avoid });
}

function isHidden({ tools, onlyTools }: UpstreamPlan, name: string): boolean {
  return tools?.[name]?.hide === true || onlyTools?.includes(name) === false;
}

/** The failure for a tool that is not available now. */
export function missingTool(server: UpstreamServer, name: string): Failure | undefined {
  const { plan, offers } = server;
  const { latest, problem } = offers;
  if (latest === undefined) {
    const { message, hint = "Try again later, or do without it." } = problem ?? { message: "it has not answered yet" };
    const isSignInMissing = message === signInMessage(plan);
    const why = isSignInMissing ? message : `${plan.name} is down (${message.slice(0, 600)})`;
    return { code: "unavailable", message: `${name} cannot be called: ${why}`, hint };
  }
  const here = toolNames(latest, server);
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

/** @param text a tool of the server and its arguments as JSON, as the settings have checked it */
function inverseOf(text: string | undefined, here: ReadonlyMap<string, string>) {
  if (text === undefined) return undefined;
  const [name = ""] = text.split(" ", 1);
  return { tool: here.get(name) ?? name, args: JSON.parse(text.slice(name.length)) as unknown };
}
