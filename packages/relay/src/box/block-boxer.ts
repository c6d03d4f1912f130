import type { ContentBlock } from "@toolpacks/core";
import type { ValueInput } from "@toolpacks/store";
import { defaultMedia, isOver, type Threshold } from "./thresholds.ts";
import { withoutContent } from "./without-content.ts";

type Bytes = Pick<ValueInput, "data" | "mimeType">;

export interface BlockBoxerOptions {
  /** Threshold of the images and sounds of a result together, in bytes. */
  readonly media?: number;
  readonly threshold: Threshold;
  readonly isLarge: (text: string) => boolean;
  /** Keeps a text. Returns the text in its place, which describes each of the blocks that were joined. */
  readonly boxText: (text: string, mimeType?: string, blocks?: readonly string[]) => Promise<string>;
  /** Keeps bytes. Returns the text in their place. */
  readonly boxBytes: (bytes: Bytes) => Promise<string>;
}

/** Replaces large blocks of a result, and blocks that are large together, by texts. */
export function createBlockBoxer({
  media: maxMedia = defaultMedia,
  threshold,
  isLarge,
  boxText,
  boxBytes,
}: BlockBoxerOptions) {
  const textBlock = (text: string): ContentBlock => ({ type: "text", text });
  const boxJson = async (value: unknown) => textBlock(await boxText(JSON.stringify(value), "application/json"));

  /** @param media size of the images and sounds of the result, up to this block */
  const block = async (one: ContentBlock, media: number): Promise<ContentBlock> => {
    if (isLarge(JSON.stringify(withoutContent(one)))) return boxJson(one);
    if (one.type === "text") return isLarge(one.text) ? { ...one, text: await boxText(one.text) } : one;
    const bytes = binaryOf(one, { isOverMedia: media > maxMedia, threshold });
    if (bytes !== undefined) return textBlock(await boxBytes(bytes));
    if (one.type !== "resource" || !("text" in one.resource) || !isLarge(one.resource.text)) return one;
    return textBlock(await boxText(one.resource.text, one.resource.mimeType));
  };

  /** Joins blocks that are large together into one value: texts as they are, resources and links as JSON. */
  const together = async (blocks: readonly ContentBlock[]): Promise<readonly ContentBlock[]> => {
    const texts = blocks.flatMap((one) => (one.type === "text" ? [one.text] : []));
    const all = texts.length < 2 ? "" : texts.join("\n");
    const others = blocks.filter(isReference);
    const [areTextsLarge, areOthersLarge] = [isLarge(all), others.length > 0 && isLarge(JSON.stringify(others))];
    if (!areTextsLarge && !areOthersLarge) return blocks;
    const boxed: ContentBlock[] = [];
    if (areTextsLarge) boxed.push(textBlock(await boxText(all, undefined, texts)));
    if (areOthersLarge) boxed.push(await boxJson(others));
    const isBoxed = (one: ContentBlock) => (one.type === "text" ? areTextsLarge : areOthersLarge && isReference(one));
    return [...boxed, ...blocks.filter((one) => !isBoxed(one))];
  };

  return async (blocks: readonly ContentBlock[]): Promise<readonly ContentBlock[]> => {
    const boxed: ContentBlock[] = [];
    let media = 0;
    for (const one of blocks) {
      const size = isMedia(one) ? bytesOf(one.data) : 0;
      const kept = await block(one, media + size);
      if (kept === one) media += size;
      boxed.push(kept);
    }
    return together(boxed.every((one, at) => one === blocks[at]) ? blocks : boxed);
  };
}

function isMedia(block: ContentBlock): block is Extract<ContentBlock, { readonly data: string }> {
  return block.type === "image" || block.type === "audio";
}

function isReference({ type }: ContentBlock): boolean {
  return type === "resource" || type === "resource_link";
}

function bytesOf(base64: string): number {
  return (base64.length * 3) / 4;
}

function binaryOf(
  block: ContentBlock,
  limits: { readonly isOverMedia: boolean; readonly threshold: Threshold },
): Bytes | undefined {
  if (limits.threshold === false) return undefined;
  if (isMedia(block)) {
    return limits.isOverMedia ? { data: Buffer.from(block.data, "base64"), mimeType: block.mimeType } : undefined;
  }
  if (block.type !== "resource" || !("blob" in block.resource)) return undefined;
  const { blob, mimeType = "application/octet-stream" } = block.resource;
  return isOver(blob, limits.threshold) ? { data: Buffer.from(blob, "base64"), mimeType } : undefined;
}
