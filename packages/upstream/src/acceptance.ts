import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { targetHash, writeWhole } from "./offer-cache.ts";
import type { OfferedTool } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";

const file = z.object({
  format: z.literal(1),
  tools: z.record(z.string(), z.object({ description: z.string(), schema: z.string() })),
});

type Accepted = z.output<typeof file>["tools"];

/** How a tool differs from what was last accepted of it. */
export interface ToolChange {
  /** The server's name for it. */
  readonly tool: string;
  readonly what: "new" | "description" | "schema" | "description and schema";
}

/** What has been accepted of a server's tools, on disk: a server may change what it tells a model after it was trusted. */
export interface Acceptance {
  /** What is new or changed. The first tools of all are accepted as they are. */
  changes(tools: readonly OfferedTool[]): Promise<readonly ToolChange[]>;
  /** Accepts them as they are now. */
  accept(tools: readonly OfferedTool[]): Promise<void>;
}

export function createAcceptance(dataDirectory: string, plan: UpstreamPlan): Acceptance {
  const place = path.join(dataDirectory, "accepted", `${plan.name}-${targetHash(plan)}.json`);
  const accept = async (tools: readonly OfferedTool[]) => {
    const entries = tools.map((tool) => [tool.name, fingerprint(tool)] as const);
    await writeWhole(place, `${JSON.stringify({ format: 1, tools: Object.fromEntries(entries) }, undefined, 1)}\n`);
  };
  return {
    accept,
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
    text = await readFile(place, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  return file.parse(JSON.parse(text)).tools;
}

function changeOf(tool: OfferedTool, accepted: Accepted): readonly ToolChange[] {
  const before = Object.hasOwn(accepted, tool.name) ? accepted[tool.name] : undefined;
  if (before === undefined) return [{ tool: tool.name, what: "new" }];
  const now = fingerprint(tool);
  const parts = (["description", "schema"] as const).filter((part) => now[part] !== before[part]);
  return parts.length === 0 ? [] : [{ tool: tool.name, what: parts.join(" and ") as ToolChange["what"] }];
}

/** What a model reads of it, and how it is called. Annotations count: they decide whether a call is asked about. */
function fingerprint({ title, description, inputSchema, outputSchema, annotations }: OfferedTool) {
  return { description: hash([title, description]), schema: hash([inputSchema, outputSchema, annotations]) };
}

function hash(value: unknown): string {
  return createHash("sha256")
    .update(JSON.stringify(sorted(value)))
    .digest("hex");
}

/** The order of an object's fields means nothing. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value ?? null;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([name, inner]) => [name, sorted(inner)]);
}
