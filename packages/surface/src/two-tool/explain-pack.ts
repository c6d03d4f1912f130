import type { Kind } from "@toolpacks/core";
import { renderKind } from "../render-kind.ts";
import type { Answer } from "./answer.ts";
import { kindsGroup } from "./capability-index.ts";
import { findTool, kindsOf, suggestion, unknownPack, type PackTools } from "./pack-tools.ts";
import { namedTools } from "./query-tools.ts";
import { linesWithin, type ToolTexts } from "./tool-texts.ts";

/** Maximum estimated tokens of a pack's tools, if their short lines take less. A pack names the tools first that are needed most often. */
const maxPackTokens = 1_100;

/** Maximum names of tools, or kinds, in a pack's line. */
const maxNames = 12;

interface AskedPack {
  readonly pack: string;
  readonly tools?: readonly string[] | undefined;
}

/** A line for each pack: what it does, and the names of its tools and kinds. */
export function packLines(packs: readonly PackTools[]): Promise<string[]> {
  const lines = packs.map(async ({ pack, about, byShortName, kinds }) => {
    const tools = names("tools", [...byShortName.keys()]);
    const kindNames = kinds.map(({ name }) => name);
    return `${pack}: ${await about()} (${[...tools, ...names("kinds", kindNames)].join("; ")})`;
  });
  return Promise.all(lines);
}

function names(label: string, all: readonly string[]): readonly string[] {
  const more = all.length > maxNames ? `,… ${all.length} in all` : "";
  return all.length === 0 ? [] : [`${label} ${all.slice(0, maxNames).join(",")}${more}`];
}

/** Lists the tools of a pack, or explains the named ones. A pack without tools explains its kinds. */
export async function explainPack(packs: readonly PackTools[], request: AskedPack, texts: ToolTexts): Promise<Answer> {
  const { pack, tools = [] } = request;
  const found = packs.find((one) => one.pack === pack);
  if (found === undefined && pack === kindsGroup) {
    const all = packs.flatMap(({ kinds }) => kinds);
    return explainKinds(all, request);
  }
  if (found === undefined) return { pack, tools: [], unknown: [unknownPack(packs, pack)] };
  if (found.byShortName.size === 0) {
    const kinds = await explainKinds(found.kinds, request);
    return { ...kinds, tools: [...kinds.tools, `no tools; ${kindsOf(found, packs)}`] };
  }
  if (tools.length === 0) return { pack, tools: linesWithin(texts, namedTools(found), maxPackTokens) };
  const asked = [...new Set(tools)].map((name) => findTool(packs, pack, name));
  const unknown = asked.flatMap((one) => ("unknown" in one ? [one.unknown] : []));
  const entries = new Set(asked.flatMap((one) => ("entry" in one ? [one.entry] : [])));
  const wanted = namedTools(found).filter(({ entry }) => entries.has(entry));
  const whole = await Promise.all(wanted.map((one) => texts.whole(one)));
  return { pack, tools: whole, unknown: unknown.length > 0 ? unknown : undefined };
}

/** Maximum kinds of a pack that are explained in full without being named. */
const maxFullKinds = 3;

async function explainKinds(kinds: readonly Kind[], { pack, tools: asked = [] }: AskedPack): Promise<Answer> {
  const tools = asked.length === 0 && kinds.length <= maxFullKinds ? kinds.map(({ name }) => name) : asked;
  if (tools.length === 0) return { pack, tools: kinds.map(({ name, description: is }) => `${name}: ${is}`) };
  const found = kinds.filter(({ name }) => tools.includes(name));
  const known = kinds.map(({ name }) => name);
  const unknown = tools
    .filter((name) => !known.includes(name))
    .map((name) => `there is no kind ${JSON.stringify(name)}; ${suggestion(name, known)}`);
  const texts = await Promise.all(found.map((kind) => renderKind(kind)));
  return { pack, tools: texts, unknown: unknown.length > 0 ? unknown : undefined };
}
