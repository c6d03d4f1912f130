import { defineTool, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { describeTool } from "../describe.ts";
import { shortSignature } from "../signature.ts";
import { callContext, readIntent } from "./call-context.ts";
import { capabilityIndex } from "./capability-index.ts";
import { findTool, unknownPack, type PackTools } from "./pack-tools.ts";
import { packNamed } from "./pack-named.ts";
import type { TwoTools } from "./two-tools.ts";

/** A line of a pack's tools takes at most 40 o200k tokens; the estimate may be a fifth too low. */
const mostEstimatedTokens = 32;
const mostWorkspaces = 8;

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
 * `getTools`: what packs offer, and how their tools are called.
 *
 * @param shownWorkspaces those that the list names, as they are when it is made
 */
export function getTools({ packs, workspaces, repetition }: TwoTools, shownWorkspaces: readonly string[]): Tool {
  return {
    ...defineTool({
      name: "get_tools",
      description: description(packs, shownWorkspaces),
      mutates: false,
      input,
      output,
      text: render,
      handler: async ({ context, request }) => {
        const { sessionId } = await readIntent(context, workspaces);
        const isSecond = repetition.isSecond(sessionId, request);
        return {
          session: sessionId,
          packs: request.map((one) => answer(packs, one)),
          ...(isSecond && {
            hint: "You asked for the same before in this session, and nothing has changed: call useTools now.",
          }),
        };
      },
    }),
    name: "getTools",
  };
}

function description(packs: readonly PackTools[], workspaces: readonly string[]): string {
  const shown = workspaces.slice(0, mostWorkspaces);
  const more = workspaces.length > shown.length ? ",…" : "";
  return [
    "Get tools before useTools calls them: name a pack for its tools, and tools for their parameters.",
    capabilityIndex(packs),
    ...(shown.length === 0 ? [] : [`workspaces: ${shown.join(",")}${more}`]),
  ].join("\n");
}

function answer(packs: readonly PackTools[], { pack, tools }: { pack: string; tools?: string[] | undefined }) {
  const found = packs.find((one) => one.pack === pack);
  if (found === undefined) return { pack, tools: [], unknown: [unknownPack(packs, pack)] };
  if (tools === undefined || tools.length === 0) {
    return {
      pack,
      tools: [...found.byShortName.values()].map(({ tool }) => shortSignature(tool, mostEstimatedTokens)),
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

function render({ session, packs, hint }: Answer): string {
  const parts = packs.map(({ pack, tools, unknown = [] }) =>
    [...(tools.length > 0 ? [`${pack}:`, ...tools] : []), ...unknown].join("\n"),
  );
  return [`session ${session}`, ...parts, ...(hint === undefined ? [] : [hint])].join("\n\n");
}
