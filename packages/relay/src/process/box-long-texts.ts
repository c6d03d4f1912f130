import type { CallToolResult, ContentBlock, ResourceLink } from "@toolpacks/core";
import { beginning, renderBoxed } from "../box/boxed-text.ts";
import { typeOf } from "../box/boxer.ts";
import type { Threshold } from "../box/thresholds.ts";
import type { Relay } from "../create-relay.ts";
import { formatHandle } from "../handle.ts";
import { maxDepth, mapJson } from "../map-json.ts";
import type { RelayValueInfo } from "../values/relay-values.ts";
import { NotWellFormed } from "./json-string.ts";
import { LongText } from "./long-text.ts";

interface Boxed {
  readonly result: CallToolResult;
  /** Whether a long text stayed: a threshold lets it, it is no text, or it is too deep within. */
  readonly hasLongText: boolean;
}

/** How many bytes of either end of a text are looked at. */
const edge = 1_024;

/** Replaces the texts of a result that are not in memory, as boxing does with those that are. The same result when it has none. */
export async function boxLongTexts(result: CallToolResult, tool: string, relay: Relay): Promise<Boxed> {
  const boxing = new Boxing(tool, relay);
  const { content, structuredContent } = result;
  const blocks: unknown = Array.isArray(content) ? await boxing.blocks(content) : content;
  const fields = await boxing.fields(structuredContent);
  const { hasLongText, links } = boxing;
  if (blocks === content && fields === structuredContent) return { result, hasLongText };
  const isPlain = structuredContent === undefined;
  const boxed = {
    ...result,
    content: isPlain ? [...(blocks as ContentBlock[]), ...links] : blocks,
    ...(!isPlain && { structuredContent: fields }),
  };
  return { result: boxed as CallToolResult, hasLongText };
}

class Boxing {
  readonly links: ResourceLink[] = [];
  hasLongText = false;
  readonly #tool: string;
  readonly #relay: Relay;
  readonly #threshold: Threshold;

  constructor(tool: string, relay: Relay) {
    this.#tool = tool;
    this.#relay = relay;
    this.#threshold = relay.boxer(tool).threshold;
  }

  async blocks(blocks: readonly unknown[]): Promise<readonly unknown[]> {
    const boxed: unknown[] = [];
    for (const block of blocks) boxed.push(isFields(block) ? await this.#block(block) : block);
    return boxed.some((block, at) => block !== blocks[at]) ? boxed : blocks;
  }

  /** Fields with every long text in them, up to 500 deep, replaced by its handle; the same object when there is none. */
  fields(fields: unknown): Promise<unknown> {
    return mapJson(fields, async (value, at) => {
      if (!(value instanceof LongText)) {
        if (at.length < maxDepth) return undefined;
        this.hasLongText ||= holdsLongText(value);
        return value;
      }
      const kept = await this.#keepText(value);
      return kept === undefined ? value : formatHandle(kept.info.id, this.#relay.mode);
    });
  }

  async #block(block: Fields): Promise<unknown> {
    const { type, text, data, mimeType, resource } = block;
    if (type === "text" && text instanceof LongText) return this.#asText(await this.#keepText(text), block);
    if (data instanceof LongText) return this.#asText(await this.#keepBytes(data, mimeType), block);
    if (type !== "resource" || !isFields(resource)) return block;
    if (resource["text"] instanceof LongText) {
      return this.#asText(await this.#keepText(resource["text"], resource["mimeType"]), block);
    }
    if (resource["blob"] instanceof LongText) {
      return this.#asText(await this.#keepBytes(resource["blob"], resource["mimeType"]), block);
    }
    return block;
  }

  #asText(kept: Kept | undefined, block: Fields): unknown {
    if (kept === undefined) return block;
    const text = renderBoxed(kept.info, this.#relay.mode, kept.begins);
    return block["type"] === "text" ? { ...block, text } : { type: "text", text };
  }

  async #keepText(text: LongText, mimeType?: unknown): Promise<Kept | undefined> {
    if (!this.#isOver(text)) return undefined;
    try {
      const begins = await beginningOf(text);
      const type = typeof mimeType === "string" ? mimeType : typeOf(begins + (await lastOf(text)));
      return { begins: beginning(begins), info: await this.#keep(text.utf8(), { mimeType: type, text: true }) };
    } catch (error) {
      if (!(error instanceof NotWellFormed)) throw error;
      this.hasLongText = true;
      return undefined;
    }
  }

  async #keepBytes(base64: LongText, mimeType: unknown): Promise<Kept | undefined> {
    if (!this.#isOver(base64)) return undefined;
    const type = typeof mimeType === "string" ? mimeType : "application/octet-stream";
    return { begins: undefined, info: await this.#keep(decodeBase64(base64.utf8()), { mimeType: type, text: false }) };
  }

  async #keep(data: AsyncIterable<Uint8Array>, about: { mimeType: string; text: boolean }): Promise<RelayValueInfo> {
    const info = await this.#relay.values.put({ data, ...about });
    const uri = formatHandle(info.id);
    if (!this.links.some((link) => link.uri === uri)) {
      this.links.push({ type: "resource_link", uri, name: this.#tool, mimeType: info.mimeType, size: info.size });
    }
    return info;
  }

  /** A text that is not in memory is so long that its tokens need not be counted: none has more than 12 bytes. */
  #isOver({ size }: LongText): boolean {
    const threshold = this.#threshold;
    const isOver = threshold !== false && size > (typeof threshold === "number" ? threshold : threshold.tokens * 12);
    this.hasLongText ||= !isOver;
    return isOver;
  }
}

interface Kept {
  readonly info: RelayValueInfo;
  readonly begins: string | undefined;
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function holdsLongText(value: unknown): boolean {
  const open: unknown[] = [value];
  while (open.length > 0) {
    const next = open.pop();
    if (next instanceof LongText) return true;
    if (next !== null && typeof next === "object") for (const inner of Object.values(next)) open.push(inner);
  }
  return false;
}

async function beginningOf(text: LongText): Promise<string> {
  let begins = Buffer.alloc(0);
  for await (const piece of text.utf8()) {
    begins = Buffer.concat([begins, piece]);
    if (begins.length >= edge) break;
  }
  return begins.toString("utf8", 0, edge);
}

/** The last character that is no space, as it stands in JSON. */
async function lastOf(text: LongText): Promise<string> {
  const end: Buffer[] = [];
  for await (const piece of text.json(Math.max(0, text.size - edge))) end.push(piece);
  return /(\S)(?:\s|\\[nrt])*$/.exec(Buffer.concat(end).toString())?.[1] ?? "";
}

async function* decodeBase64(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest = "";
  for await (const piece of text) {
    const all = rest + piece.toString("latin1");
    const whole = all.length - (all.length % 4);
    rest = all.slice(whole);
    yield Buffer.from(all.slice(0, whole), "base64");
  }
  yield Buffer.from(rest, "base64");
}
