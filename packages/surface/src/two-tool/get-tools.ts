import { defineTool, estimateTokens, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { callContext, readIntent } from "./call-context.ts";
import { capabilityIndex, kindsGroup } from "./capability-index.ts";
import { packNamed } from "./pack-named.ts";
import type { TwoTools } from "./two-tools.ts";

const maxWorkspaces = 8;
const maxWorkspaceTokens = 24;
const maxRequests = 50;

const asked = z.strictObject({
  query: z.string().trim().min(1).max(1_000).optional().describe("one step, in plain words"),
  pack: z.string().min(1).max(200).optional(),
  tools: z.array(z.string().min(1).max(200)).max(50).optional(),
});

const input = z.object({
  context: callContext.optional(),
  request: z.array(packNamed(asked)).max(maxRequests).default([]),
});

const output = z.object({
  session: z.string().optional().describe("the session's id"),
  workspace: z.string().describe("where its calls go"),
  answers: z.array(
    z.object({
      query: z.string().optional(),
      pack: z.string().optional(),
      tools: z.array(z.string()).describe("a line per tool, or all about each"),
      unknown: z.array(z.string()).optional().describe("what was asked for and is not there"),
    }),
  ),
});

/**
 * `getTools`: finds and describes tools, and lists packs.
 *
 * @param shownWorkspaces names of workspaces for the tool's description
 */
export function getTools(twoTools: TwoTools, shownWorkspaces: readonly string[]): Tool {
  return {
    ...defineTool({
      name: "get_tools",
      description: description(twoTools, shownWorkspaces),
      mutates: false,
      input,
      output,
      text: render,
      handler: async ({ context, request }, { principal }) => {
        const { answerRequests } = await import("./answer-requests.ts");
        const intent = context && (await readIntent(context, twoTools, principal));
        const session = intent?.sessionId;
        return {
          session,
          workspace: await twoTools.labelOf(intent?.workspaceId ?? twoTools.store.workspace),
          answers: await answerRequests(twoTools, request),
        };
      },
    }),
    name: "getTools",
  };
}

function description({ packs }: TwoTools, workspaces: readonly string[]): string {
  const kinds = packs.flatMap((pack) => pack.kinds);
  const groups = [
    ...packs
      .filter(({ byShortName }) => byShortName.size > 0)
      .map(({ pack, byShortName }) => ({ name: pack, members: [...byShortName.keys()] })),
    ...(kinds.length === 0 ? [] : [{ name: kindsGroup, members: kinds.map(({ name }) => name) }]),
  ];
  const names = workspaceLine(workspaces);
  return [
    "Explain tools for useTools: the best for each query, all of a pack, or named ones in full. Without request: the packs.",
    capabilityIndex(groups, estimateTokens(names)),
    ...(names === "" ? [] : [names]),
  ].join("\n");
}

/** The workspace names that fit, the project's own first. The error for an unknown name lists all. */
function workspaceLine(names: readonly string[]): string {
  let left = maxWorkspaceTokens;
  const beyond = names.findIndex((name) => (left -= estimateTokens(`${name},`)) < 0);
  const [own, ...others] = names.slice(0, beyond === -1 ? maxWorkspaces : Math.min(beyond, maxWorkspaces));
  if (own === undefined) return "";
  const more = names.length > others.length + 1 ? ["…"] : [];
  return `workspaces: ${[`${own} (this project)`, ...others, ...more].join(",")}`;
}

function render({ session, workspace, answers }: z.output<typeof output>): string {
  const parts = answers.map(({ query, pack, tools, unknown = [] }) => {
    const ofPack = pack === undefined || tools.length === 0 ? [] : [`${pack}:`];
    const head = query === undefined ? ofPack : [`${JSON.stringify(query)}:`];
    return [...head, ...tools, ...unknown].join("\n");
  });
  const place = `${session === undefined ? "" : `session ${session} in `}workspace ${workspace}`;
  return [place, ...parts].join("\n\n");
}
