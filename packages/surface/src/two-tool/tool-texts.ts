import { estimateTokens, type CatalogEntry } from "@toolpacks/core";
import { describeTool } from "../describe.ts";
import { firstSentence } from "../first-sentence.ts";
import { shortSignature, signature } from "../signature.ts";
import { shortenNames, type ShortenNames } from "./short-names.ts";
import type { PackTools } from "./pack-tools.ts";

/** Maximum estimated tokens of a tool's line. The estimate may be a fifth too low: 40 o200k tokens at most. */
const maxLineTokens = 32;

/** A tool with the names under which `useTools` calls it. */
export interface NamedTool {
  readonly pack: PackTools;
  readonly short: string;
  readonly entry: CatalogEntry;
}

/** Texts about tools, with short names. */
export interface ToolTexts {
  /** A short signature of at most 40 tokens. */
  line(tool: NamedTool): string;
  /** Everything about a tool. */
  whole(tool: NamedTool): string;
  /** Everything about a tool if it fits, otherwise its call. */
  within(tool: NamedTool, maxTokens: number): string;
  /** The whole signature with what the tool does if it fits, otherwise the short one. */
  call(tool: NamedTool, maxTokens: number): string;
}

export function toolTexts(packs: readonly PackTools[]): ToolTexts {
  const shorten = shortenNames(packs);
  const line = (one: NamedTool) => clean(one, shortSignature(named(one), maxLineTokens), shorten);
  const whole = (one: NamedTool) => clean(one, describeTool({ ...one.entry, tool: named(one) }), shorten);
  const call = (one: NamedTool, maxTokens: number) => {
    const { mutates, description } = one.entry.tool;
    const text = `${signature(named(one))}${mutates ? " [mutates]" : ""}: ${firstSentence(description)}`;
    const cleaned = clean(one, text, shorten);
    return estimateTokens(cleaned) <= maxTokens ? cleaned : line(one);
  };
  return {
    line,
    whole,
    call,
    within(one, maxTokens) {
      const all = whole(one);
      return estimateTokens(all) <= maxTokens ? all : call(one, maxTokens);
    },
  };
}

function named({ short, entry }: NamedTool): CatalogEntry["tool"] {
  return { ...entry.tool, name: short };
}

/** Shortens names in all lines but examples, whose values are exact. Texts of other servers stay. */
function clean({ pack }: NamedTool, text: string, shorten: ShortenNames): string {
  if (pack.isRemote) return text;
  const [signatureLine = "", ...rest] = text.split("\n");
  return [signatureLine, ...rest.map((each) => (each.startsWith("example") ? each : shorten(each)))].join("\n");
}
