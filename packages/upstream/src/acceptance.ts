import { createHash } from "node:crypto";
import { unwatchFile, watchFile } from "node:fs";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { readPrivateFile, writePrivateFile } from "@toolpacks/core/private-files";
import { z } from "zod";
import { cleanText, cleanTexts } from "./clean-text.ts";
import { shortHash } from "./offer-cache.ts";
import type { OfferedTool } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";

/** What people are shown of a tool, for them to compare. It is cut where it is endless, so it decides nothing. */
const words = z.object({ description: z.string(), schema: z.string() });

const file = z.object({
  format: z.literal(1),
  /** Hashes by the tools' names, and what they are of. */
  tools: z.record(z.string(), z.object({ description: z.string(), schema: z.string(), words })),
});

type Accepted = z.output<typeof file>["tools"];
type ToolWords = Readonly<z.output<typeof words>>;

/** How a tool differs from what was last accepted of it. */
export interface ToolChange {
  /** The server's name for it. */
  readonly tool: string;
  readonly what: "new" | "description" | "schema" | "description and schema";
  /** What was accepted, without unseen characters, its schema as indented JSON. Undefined for a new tool. */
  readonly before?: ToolWords;
  /** What it is now. */
  readonly now: ToolWords;
}

/** What has been accepted of a server's tools, on disk: a server may change what it tells a model after it was trusted. */
export interface Acceptance {
  /** What is new or changed. The first tools of all are accepted as they are. */
  changes(tools: readonly OfferedTool[]): Promise<readonly ToolChange[]>;
  /** Accepts them as they are now. */
  accept(tools: readonly OfferedTool[]): Promise<void>;
  /** Calls back when anybody has accepted something, until what it returns is called. No process lives on for it. */
  watch(changed: () => void): () => void;
}

const watchMs = 1_000;

/** It goes by the server's name: with another version, argument or address it is the same server to whoever accepted it. */
export function createAcceptance(dataDirectory: string, plan: UpstreamPlan): Acceptance {
  const { name, scope } = plan;
  const place = path.join(
    dataDirectory,
    "accepted",
    `${name}${scope === undefined ? "" : `-${shortHash(scope)}`}.json`,
  );
  const accept = async (tools: readonly OfferedTool[]) => {
    const accepted = tools.map((tool) => [tool.name, { ...fingerprint(tool), words: wordsOf(tool) }] as const);
    const content = { format: 1, tools: Object.fromEntries(accepted) } satisfies z.input<typeof file>;
    await writePrivateFile(place, `${JSON.stringify(content, undefined, 1)}\n`);
  };
  return {
    accept,
    watch(changed) {
      watchFile(place, { interval: watchMs, persistent: false }, changed);
      return () => unwatchFile(place, changed);
    },
    async changes(tools) {
      const accepted = await read(place);
      if (accepted !== undefined) return tools.flatMap((tool) => changeOf(tool, accepted));
      await accept(tools);
      return [];
    },
  };
}

/** @throws Error when there is a file that cannot be read: to take its tools for accepted would undo what it is for */
async function read(place: string): Promise<Accepted | undefined> {
  let text: string;
  try {
    text = (await readPrivateFile(place)).toString();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return file.parse(JSON.parse(text)).tools;
  } catch (cause) {
    throw new Error(`${place} is damaged`, { cause });
  }
}

function changeOf(tool: OfferedTool, accepted: Accepted): readonly ToolChange[] {
  const before = Object.hasOwn(accepted, tool.name) ? accepted[tool.name] : undefined;
  if (before === undefined) return [{ tool: tool.name, what: "new", now: wordsOf(tool) }];
  const now = fingerprint(tool);
  const parts = (["description", "schema"] as const).filter((part) => now[part] !== before[part]);
  if (parts.length === 0) return [];
  const what = parts.join(" and ") as ToolChange["what"];
  return [{ tool: tool.name, what, before: before.words, now: wordsOf(tool) }];
}

/** What a model reads of it, and how it is called. Annotations count: they decide whether a call is asked about. */
function fingerprint({ title, description, inputSchema, outputSchema, annotations }: OfferedTool) {
  return { description: hash([title, description]), schema: hash([inputSchema, outputSchema, annotations]) };
}

/** No schema of a real tool comes near it. */
const longestSchema = 20_000;

function wordsOf({ title, description, inputSchema, outputSchema, annotations }: OfferedTool): ToolWords {
  const said = [title, description].filter((one) => one !== undefined).join("\n");
  const inOrder = (_: string, value: unknown) => (isObject(value) ? Object.fromEntries(entriesOf(value)) : value);
  const schema = JSON.stringify(cleanTexts({ inputSchema, outputSchema, annotations }), inOrder, 2);
  return { description: cleanText(said), schema: schema.slice(0, longestSchema) };
}

function hash(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .digest("hex");
}

/** The order of an object's fields means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  return isObject(value) ? entriesOf(value).map(([name, inner]) => [name, sorted(inner)]) : (value ?? null);
}

function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  return Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
}
