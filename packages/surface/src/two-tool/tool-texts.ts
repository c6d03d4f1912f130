import { estimateTokens, type CatalogEntry } from "@toolpacks/core";
import { describeTool, type DescribedResults } from "../describe.ts";
import { briefSignature, isOwn, readySignature } from "../ready-signature.ts";
import { shortenNames, type ShortenNames } from "./short-names.ts";
import type { PackTools } from "./pack-tools.ts";

/** Maximum estimated tokens of a tool's short line, and of one that is ready to call. */
const maxBriefTokens = 24;
const maxReadyTokens = 260;

/** A tool with the names under which `useTools` calls it. */
export interface NamedTool {
  readonly pack: PackTools;
  readonly short: string;
  readonly entry: CatalogEntry;
}

export type ToolTexts = ReturnType<typeof toolTexts>;

/** Creates the texts about tools for one answer, with short names. A note or a result that an earlier text has is not said again. */
export function toolTexts(packs: readonly PackTools[]) {
  const shorten = shortenNames(packs);
  const shownBefore = new Set<string>();
  const results: DescribedResults = new Map();
  /** The name and a few words. */
  const brief = (one: NamedTool) => clean(one, briefSignature(named(one), { maxTokens: maxBriefTokens }), shorten);
  return {
    brief,
    /** A signature from which a call can be written, or the name and a few words if it does not fit. */
    line(one: NamedTool, maxTokens: number): string {
      const limits = { maxTokens: Math.min(maxTokens, maxReadyTokens), shownBefore };
      const ready = readySignature(named(one), limits);
      return ready === undefined ? brief(one) : clean(one, ready, shorten);
    },
    /** Everything about a tool; of another server's tool as much as fits 250 tokens. */
    async whole(one: NamedTool): Promise<string> {
      if (isOwn(one.entry)) return clean(one, describeTool(named(one), results), shorten);
      const { describeForeignTool } = await import("../describe-foreign-tool.ts");
      return clean(one, describeForeignTool(named(one)), shorten);
    },
  };
}

/**
 * A line for each tool. All have at least a short line. Those that come first have ready lines, as many as fit.
 *
 * @param maxTokens of all lines that are not short
 */
export function linesWithin(texts: ToolTexts, tools: readonly NamedTool[], maxTokens: number): string[] {
  const briefs = tools.map((one) => texts.brief(one));
  let left = maxTokens - briefs.reduce((sum, brief) => sum + estimateTokens(brief), 0);
  return tools.map((one, at) => {
    const brief = briefs[at] ?? "";
    const cost = estimateTokens(brief);
    const line = left > 0 ? texts.line(one, left + cost) : brief;
    left -= estimateTokens(line) - cost;
    return line;
  });
}

function named({ short, entry }: NamedTool): CatalogEntry {
  return { ...entry, tool: { ...entry.tool, name: short } };
}

/** Shortens names after the tool's own in all lines but examples, whose values are exact. Texts of other servers stay. */
function clean({ pack, short }: NamedTool, text: string, shorten: ShortenNames): string {
  if (pack.isRemote) return text;
  const lines = text.slice(short.length).split("\n");
  return `${short}${lines.map((line) => (line.startsWith("example") ? line : shorten(line))).join("\n")}`;
}
