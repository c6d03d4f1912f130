import type { ContentBlock, ResourceLink } from "@toolpacks/core";
import type { ValueInfo } from "@toolpacks/store";
import { formatHandle, type HandleMode } from "../handle.ts";
import { maxDepth, mapJson } from "../map-json.ts";
import type { Shape } from "../shape/shape.ts";
import { maxShapeTokens, shapeOf } from "../shape/shape-of.ts";
import type { RelayValues, WholeValue } from "../values/relay-values.ts";
import { defaultMedia, isOver, thresholdOf, type Threshold, type ThresholdSettings } from "./thresholds.ts";

export type Fields = Readonly<Record<string, unknown>>;

export interface BoxerOptions {
  readonly values: RelayValues;
  readonly mode: HandleMode;
  readonly settings: ThresholdSettings;
}

/** Boxes the parts of one result: keeps large values, and collects links to them. */
export class Boxer {
  readonly threshold: Threshold;
  readonly #options: BoxerOptions;
  readonly #tool: string;
  readonly #links = new Map<string, ResourceLink>();
  /** The texts that were replaced in fields, by the ids of their values. */
  readonly #replaced = new Map<string, { readonly info: ValueInfo; readonly text: string }>();

  constructor(options: BoxerOptions, tool: string) {
    this.threshold = thresholdOf(options.settings, tool);
    this.#options = options;
    this.#tool = tool;
  }

  get links(): readonly ResourceLink[] {
    return [...this.#links.values()];
  }

  /** Texts about the first values that were replaced in fields. Their shapes share the tokens of one. */
  notes(maxCount: number): readonly string[] {
    const first = [...this.#replaced.values()].slice(0, maxCount);
    const maxTokens = Math.floor(maxShapeTokens / first.length);
    return first.map(({ info, text }) => renderBoxed(info, this.#options.mode, shapeOf([text], maxTokens)));
  }

  /** Forgets links and notes, so that the whole result can be boxed in place of its parts. */
  reset(): void {
    this.#links.clear();
    this.#replaced.clear();
  }

  /** Replaces every large text in fields, up to 500 levels deep, by its handle. Returns the same object when there is none. */
  async fields(fields: Fields): Promise<Fields> {
    const boxField = async (value: unknown, at: readonly string[]) => {
      if (typeof value !== "string") return at.length < maxDepth ? undefined : value;
      if (!this.#isLarge(value)) return undefined;
      const info = await this.#keep({ data: value, mimeType: typeOf(value), text: true });
      this.#replaced.set(info.id, { info, text: value });
      return formatHandle(info.id, this.#options.mode);
    };
    return (await mapJson(fields, boxField)) as Fields;
  }

  /** Replaces every large block by a text, and blocks that are large together. Returns the same array when there is none. */
  async blocks(blocks: readonly ContentBlock[]): Promise<readonly ContentBlock[]> {
    const { mediaThreshold = defaultMedia } = this.#options.settings;
    const boxed: ContentBlock[] = [];
    let media = 0;
    for (const one of blocks) {
      const size = isMedia(one) ? (one.data.length * 3) / 4 : 0;
      const kept = await this.#block(one, media + size > mediaThreshold);
      if (kept === one) media += size;
      boxed.push(kept);
    }
    return this.#together(boxed.every((one, at) => one === blocks[at]) ? blocks : boxed);
  }

  async #block(one: ContentBlock, isOverMedia: boolean): Promise<ContentBlock> {
    if (this.#isLarge(JSON.stringify(withoutContent(one)))) return this.#json(one);
    if (one.type === "text") return this.#isLarge(one.text) ? { ...one, text: await this.#text(one.text) } : one;
    if (isMedia(one)) {
      return isOverMedia && this.threshold !== false ? this.#bytes(one.data, one.mimeType) : one;
    }
    if (one.type !== "resource") return one;
    const { resource } = one;
    if ("blob" in resource) {
      return isOver(resource.blob, this.threshold) ? this.#bytes(resource.blob, resource.mimeType) : one;
    }
    return this.#isLarge(resource.text) ? textBlock(await this.#text(resource.text, resource.mimeType)) : one;
  }

  /** Joins blocks that are large together into one value: texts as they are, resources and links as JSON. */
  async #together(blocks: readonly ContentBlock[]): Promise<readonly ContentBlock[]> {
    const texts = blocks.flatMap((one) => (one.type === "text" ? [one.text] : []));
    const all = texts.length < 2 ? "" : texts.join("\n");
    const others = blocks.filter(isReference);
    const areTextsLarge = this.#isLarge(all);
    const areOthersLarge = others.length > 0 && this.#isLarge(JSON.stringify(others));
    if (!areTextsLarge && !areOthersLarge) return blocks;
    const boxed: ContentBlock[] = [];
    if (areTextsLarge) boxed.push(textBlock(await this.#text(all, undefined, texts)));
    if (areOthersLarge) boxed.push(await this.#json(others));
    const isBoxed = (one: ContentBlock) => (one.type === "text" ? areTextsLarge : areOthersLarge && isReference(one));
    return [...boxed, ...blocks.filter((one) => !isBoxed(one))];
  }

  async #json(value: unknown): Promise<ContentBlock> {
    return textBlock(await this.#text(JSON.stringify(value), "application/json"));
  }

  async #bytes(base64: string, mimeType = "application/octet-stream"): Promise<ContentBlock> {
    const info = await this.#keep({ data: Buffer.from(base64, "base64"), mimeType, text: false });
    return textBlock(renderBoxed(info, this.#options.mode));
  }

  /** Keeps a text. Returns the text in its place, which describes each of the blocks that were joined. */
  async #text(text: string, mimeType = typeOf(text), blocks: readonly string[] = [text]): Promise<string> {
    const info = await this.#keep({ data: text, mimeType, text: true });
    return renderBoxed(info, this.#options.mode, shapeOf(blocks));
  }

  async #keep(input: WholeValue): Promise<ValueInfo> {
    const info = await this.#options.values.put(input);
    const { id, mimeType, size } = info;
    this.#links.set(id, { type: "resource_link", uri: formatHandle(id), name: this.#tool, mimeType, size });
    return info;
  }

  #isLarge(text: string): boolean {
    return isOver(text, this.threshold) && text.isWellFormed();
  }
}

function textBlock(text: string): ContentBlock {
  return { type: "text", text };
}

function isMedia(block: ContentBlock): block is Extract<ContentBlock, { readonly data: string }> {
  return block.type === "image" || block.type === "audio";
}

function isReference({ type }: ContentBlock): boolean {
  return type === "resource" || type === "resource_link";
}

/** The MIME type of a text. Only the first and last characters are checked, so that large JSON is not parsed. */
function typeOf(text: string): string {
  const ends = `${text.trimStart()[0] ?? ""}${text.trimEnd().at(-1) ?? ""}`;
  return ends === "{}" || ends === "[]" ? "application/json" : "text/plain";
}

/** The text that a model reads in place of a value: its handle, size, type and shape. */
function renderBoxed(info: ValueInfo, mode: HandleMode, shape?: Shape): string {
  const { id, mimeType, size, lines, text } = info;
  const described = shape?.text || undefined;
  const uri = formatHandle(id);
  if (mode === "json") {
    const kept = { type: "resource_link", uri, mimeType, size, lines: text ? lines : undefined, shape: described };
    return JSON.stringify(kept);
  }
  const head = `${uri} stands for ${mimeType}, ${size} bytes${text ? `, ${lines} lines` : ""}.`;
  const query = shape?.table === undefined ? "" : `, mode query: SQL over table ${shape.table}`;
  const use = `Pass the handle as an argument in its place${text ? `, or look into it with relay_read${query}` : ""}.`;
  return described === undefined ? `${head} ${use}` : `${head} ${use}\n${described}`;
}

/** A block without its text or data: the names, addresses and metadata that its server wrote around them. */
function withoutContent(block: ContentBlock): object {
  if (block.type === "text") return { ...block, text: "" };
  if (block.type === "image" || block.type === "audio") return { ...block, data: "" };
  return block.type === "resource" ? { ...block, resource: { ...block.resource, text: "", blob: "" } } : block;
}
