import type { ContentBlock, ResourceLink } from "@toolpacks/core";
import { formatHandle, type HandleMode } from "../handle.ts";
import { maxDepth, mapJson } from "../map-json.ts";
import type { ValueInfo, ValueInput } from "@toolpacks/store";
import type { RelayValues } from "../values/relay-values.ts";
import { maxShapeTokens, shapeOf } from "../shape/shape-of.ts";
import { renderBoxed } from "./boxed-text.ts";
import { createBlockBoxer } from "./block-boxer.ts";
import { isOver, thresholdOf, type Threshold, type ThresholdSettings } from "./thresholds.ts";

export type Fields = Readonly<Record<string, unknown>>;

/** Boxes the parts of one result: keeps large values, and collects links to them. */
export interface Boxer {
  readonly threshold: Threshold;
  readonly links: readonly ResourceLink[];
  /** Texts about the first values that were replaced in fields. Their shapes share the tokens of one. */
  notes(maxCount: number): readonly string[];
  /** Forgets links and notes, so that the whole result can be boxed in place of its parts. */
  reset(): void;
  /** Replaces every large text in fields, up to 500 levels deep, by its handle. Returns the same object when there is none. */
  fields(fields: Fields): Promise<Fields>;
  /** Replaces every large block by a text. Returns the same array when there is none. */
  blocks(blocks: readonly ContentBlock[]): Promise<readonly ContentBlock[]>;
}

export interface BoxerOptions {
  readonly values: RelayValues;
  readonly mode: HandleMode;
  readonly settings: ThresholdSettings;
}

/** A text that was replaced in a field. */
interface ReplacedText {
  readonly info: ValueInfo;
  readonly text: string;
}

export function createBoxer({ values, mode, settings }: BoxerOptions, tool: string): Boxer {
  const threshold = thresholdOf(settings, tool);
  const links = new Map<string, ResourceLink>();
  const replaced = new Map<string, ReplacedText>();
  const keep = async (input: ValueInput): Promise<ValueInfo> => {
    const info = await values.put(input);
    const { id, mimeType, size } = info;
    links.set(id, { type: "resource_link", uri: formatHandle(id), name: tool, mimeType, size });
    return info;
  };
  const isLarge = (text: string) => isOver(text, threshold) && text.isWellFormed();

  const boxText = async (text: string, mimeType = typeOf(text), blocks: readonly string[] = [text]) =>
    renderBoxed(await keep({ data: text, mimeType, text: true }), mode, shapeOf(blocks));

  const boxField = async (value: unknown, at: readonly string[]) => {
    if (typeof value !== "string") return at.length < maxDepth ? undefined : value;
    if (!isLarge(value)) return undefined;
    const info = await keep({ data: value, mimeType: typeOf(value), text: true });
    replaced.set(info.id, { info, text: value });
    return formatHandle(info.id, mode);
  };

  const boxBlocks = createBlockBoxer({
    media: settings.mediaThreshold,
    threshold,
    isLarge,
    boxText,
    boxBytes: async (input) => renderBoxed(await keep({ ...input, text: false }), mode),
  });

  return {
    threshold,
    get links() {
      return [...links.values()];
    },
    notes(maxCount) {
      const first = [...replaced.values()].slice(0, maxCount);
      const maxTokens = Math.floor(maxShapeTokens / first.length);
      return first.map(({ info, text }) => renderBoxed(info, mode, shapeOf([text], maxTokens)));
    },
    reset() {
      links.clear();
      replaced.clear();
    },
    fields: async (fields) => (await mapJson(fields, boxField)) as Fields,
    blocks: boxBlocks,
  };
}

/** The MIME type of a text. Only the first and last characters are checked, so that large JSON is not parsed. */
export function typeOf(text: string): string {
  const ends = `${text.trimStart()[0] ?? ""}${text.trimEnd().at(-1) ?? ""}`;
  return ends === "{}" || ends === "[]" ? "application/json" : "text/plain";
}
