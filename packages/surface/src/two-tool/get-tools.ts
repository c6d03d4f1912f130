import { defineTool, estimateTokens, nearest, type Kind, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { describeTool } from "../describe.ts";
import { renderKind } from "../render-kind.ts";
import { shortSignature } from "../signature.ts";
import { callContext, readIntent } from "./call-context.ts";
import { capabilityIndex } from "./capability-index.ts";
import { findTool, unknownPack } from "./pack-tools.ts";
import { packNamed } from "./pack-named.ts";
import type { TwoTools } from "./two-tools.ts";

/** Maximum estimated tokens of a tool's line. The estimate may be a fifth too low: 40 o200k tokens at most. */
const maxEstimatedTokens = 32;
const maxWorkspaces = 8;
const maxWorkspaceTokens = 24;

/** The name of the group of record kinds, in place of a pack. */
const kindsGroup = "kinds";

const input = z.object({
  context: callContext,
  request: z
    .array(
      packNamed(
        z.strictObject({
          pack: z.string().min(1).max(100),
          tools: z.array(z.string().min(1).max(100)).max(50).optional().describe("omit: list them"),
        }),
      ),
    )
    .min(1)
    .max(50),
});

const output = z.object({
  session: z.string().describe("the session's id"),
  packs: z.array(
    z.object({
      pack: z.string(),
      tools: z.array(z.string()).describe("a line per tool, or all about each that was asked for"),
      unknown: z.array(z.string()).optional().describe("what was asked for and is not there"),
    }),
  ),
  hint: z.string().optional(),
});

type Answer = z.output<typeof output>;

/**
 * `getTools`: describes packs and their tools.
 *
 * @param shownWorkspaces names of workspaces for the tool's description
 */
export function getTools(twoTools: TwoTools, shownWorkspaces: readonly string[]): Tool {
  const { repetition } = twoTools;
  return {
    ...defineTool({
      name: "get_tools",
      description: description(twoTools, shownWorkspaces),
      mutates: false,
      input,
      output,
      text: render,
      handler: async ({ context, request }, { principal }) => {
        const { sessionId } = await readIntent(context, twoTools, principal);
        const isSecond = repetition.isSecond(JSON.stringify([principal, sessionId]), request);
        return {
          session: sessionId,
          packs: await Promise.all(request.map((one) => answer(twoTools, one))),
          ...(isSecond && {
            hint: "This request repeats an earlier one of the session, and nothing has changed: call useTools now.",
          }),
        };
      },
    }),
    name: "getTools",
  };
}

function description({ packs, kinds }: TwoTools, workspaces: readonly string[]): string {
  const groups = [
    ...packs.map(({ pack, byShortName }) => ({ name: pack, members: [...byShortName.keys()] })),
    ...(kinds.length === 0 ? [] : [{ name: kindsGroup, members: kinds.map(({ name }) => name) }]),
  ];
  const names = workspaceLine(workspaces);
  return [
    "Get tools before useTools calls them: name a pack for its tools, and tools for their parameters.",
    capabilityIndex(groups, estimateTokens(names)),
    ...(names === "" ? [] : [names]),
  ].join("\n");
}

/** The workspace names that fit. The error for an unknown name lists all. */
function workspaceLine(names: readonly string[]): string {
  let left = maxWorkspaceTokens;
  const beyond = names.findIndex((name) => (left -= estimateTokens(`${name},`)) < 0);
  const shown = names.slice(0, beyond === -1 ? maxWorkspaces : Math.min(beyond, maxWorkspaces));
  const more = names.length > shown.length ? ",…" : "";
  return shown.length === 0 ? "" : `workspaces: ${shown.join(",")}${more}`;
}

interface Asked {
  readonly pack: string;
  readonly tools?: readonly string[] | undefined;
}

async function answer({ packs, kinds }: TwoTools, request: Asked): Promise<Answer["packs"][number]> {
  const { pack, tools } = request;
  if (pack === kindsGroup && packs.every((one) => one.pack !== kindsGroup)) return answerKinds(kinds, request);
  const found = packs.find((one) => one.pack === pack);
  if (found === undefined) return { pack, tools: [], unknown: [unknownPack(packs, pack)] };
  if (tools === undefined || tools.length === 0) {
    return {
      pack,
      tools: [...found.byShortName.values()].map(({ tool }) => shortSignature(tool, maxEstimatedTokens)),
    };
  }
  const asked = [...new Set(tools)].map((name) => findTool(packs, pack, name));
  const unknown = asked.flatMap((one) => ("unknown" in one ? [one.unknown] : []));
  return {
    pack,
    tools: asked.flatMap((one) => ("entry" in one ? [describeTool(one.entry)] : [])),
    ...(unknown.length > 0 && { unknown }),
  };
}

async function answerKinds(kinds: readonly Kind[], { pack, tools = [] }: Asked): Promise<Answer["packs"][number]> {
  if (tools.length === 0) return { pack, tools: kinds.map(({ name, description: is }) => `${name}: ${is}`) };
  const found = kinds.filter(({ name }) => tools.includes(name));
  const known = kinds.map(({ name }) => name);
  const unknown = tools
    .filter((name) => !known.includes(name))
    .map((name) => {
      const near = nearest(name, known);
      return `there is no kind ${JSON.stringify(name)}; ${near.length > 0 ? `nearest: ${near.join(", ")}` : `there are ${known.join(", ")}`}`;
    });
  return {
    pack,
    tools: await Promise.all(found.map((kind) => renderKind(kind))),
    ...(unknown.length > 0 && { unknown }),
  };
}

function render({ session, packs, hint }: Answer): string {
  const parts = packs.map(({ pack, tools, unknown = [] }) =>
    [...(tools.length > 0 ? [`${pack}:`, ...tools] : []), ...unknown].join("\n"),
  );
  return [`session ${session}`, ...parts, ...(hint === undefined ? [] : [hint])].join("\n\n");
}
