import { coreFacet, isObject, ToolError, type ContentBlock, type Failure, type Outcome } from "@toolpacks/core";
import { connectServer } from "@toolpacks/upstream";
import { type Io, printError } from "@toolpacks/terminal";
import type { CommandTool, ToolSource } from "./command-tool.ts";
import { findTool, leadingWords } from "./tool-words.ts";

type Client = Awaited<ReturnType<typeof connectServer>>;

export interface ServerAddress {
  readonly url: string;
  /** The bearer token of the caller. */
  readonly token: string | undefined;
  /** Packs whose tools have another prefix than the name of the pack. */
  readonly packs: readonly KnownPack[];
}

/** A pack whose tools have a prefix of their own. */
export interface KnownPack {
  readonly name: string;
  readonly prefix: string;
}

/** Connects to a running server. @throws ToolError when it cannot be reached */
export async function connectTools(io: Io, { url, token, packs }: ServerAddress): Promise<ToolSource> {
  const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const client = await connectServer({ name: "server", url, headers });
  const { tools } = await client.listTools();
  const listed = tools.map(({ name, description = "", inputSchema, outputSchema }) =>
    createTool({ name, description, input: inputSchema, output: outputSchema }),
  );
  return serverTools(io, { client, listed, packs });
}

interface ServerParts {
  readonly client: Client;
  readonly listed: readonly CommandTool[];
  readonly packs: readonly KnownPack[];
}

/** The tools of a server: those that it lists, and those that its `tool_describe` knows. */
function serverTools(io: Io, { client, listed, packs }: ServerParts): ToolSource {
  // As on the discovery surface.
  const hidesTools = listed.some(({ name }) => name === "tool_invoke");

  async function send(name: string, args: unknown): Promise<Outcome> {
    const request = { name, arguments: isObject(args) ? args : {} };
    const result = await client.callTool(request, {
      signal: io.signal,
      onprogress: ({ progress, total = "?", message = "" }) => printError(io, `[${progress}/${total}] ${message}`),
    });
    return outcomeOf(result);
  }

  /** The tools of the names that exist. @throws ToolError if none does */
  async function describe(names: readonly string[]): Promise<readonly CommandTool[]> {
    const outcome = await send("tool_describe", { name: names, schema: true });
    if (!outcome.ok) throw new ToolError(outcome.failure.code, outcome.failure.message, outcome.failure.hint);
    return outcome.text.split("\n\n").flatMap((block) => {
      const [, name, description = ""] = /^([\w-]+)(?: \[mutates\])?: (.*)/.exec(block) ?? [];
      const input = schemaLine(block, "input");
      return name === undefined || input === undefined
        ? []
        : [createTool({ name, description, input, output: schemaLine(block, "output") })];
    });
  }

  return {
    packs: packs.map(({ name }) => name),
    async find(words) {
      const found = findTool(listed, words);
      if (found !== undefined || !hidesTools) return found;
      const names = possibleNames(words, packs);
      const described = await describe(names.map(({ name }) => name)).catch(() => []);
      const named = names.flatMap(({ name, count }) => {
        const tool = described.find((one) => one.name === name);
        return tool === undefined ? [] : [{ tool, rest: words.slice(count) }];
      });
      return named[0];
    },
    async tool(name) {
      const known = listed.find((tool) => tool.name === name);
      const [found] = known === undefined && hidesTools ? await describe([name]) : [known];
      if (found === undefined) throw new ToolError("not_found", `the server has no tool ${JSON.stringify(name)}`);
      return found;
    },
    async toolsOf(pack) {
      if (!hidesTools) return undefined;
      const outcome = await send("tool_search", { query: [pack], facet: pack, limit: 50 });
      if (!outcome.ok) return undefined;
      const hits = [...outcome.text.matchAll(/^([\w-]+)\(.*\)(?: -> .*)?(?: \[mutates\])?: (.*)$/gm)];
      return hits.map(([, name = "", description = ""]) => createTool({ name, description, pack }));
    },
    async call({ name, args, needsValue }) {
      if (listed.some((tool) => tool.name === name)) return send(name, args);
      return send("tool_invoke", { name, args, structured: needsValue });
    },
    close: () => client.close(),
  };
}

interface ToolParts {
  readonly name: string;
  readonly description: string;
  readonly pack?: string;
  readonly input?: unknown;
  readonly output?: unknown;
}

function createTool({ name, description, pack = coreFacet, input, output }: ToolParts): CommandTool {
  const schemas = {
    input: isObject(input) ? input : {},
    output: isObject(output) ? output : undefined,
  };
  return { name, pack, description, schemas: async () => schemas };
}

function schemaLine(block: string, name: "input" | "output"): unknown {
  const [, json] = new RegExp(`^${name} schema: (.*)$`, "m").exec(block) ?? [];
  return json === undefined ? undefined : (JSON.parse(json) as unknown);
}

/** Maximum words of a tool's name, its pack included. */
const maxNameWords = 4;

/** The names of tools that the first words may mean, the longest first, with the number of words. */
function possibleNames(words: readonly string[], packs: readonly KnownPack[]) {
  const given = leadingWords(words).slice(0, maxNameWords);
  const prefix = packs.find(({ name }) => name === given[0])?.prefix;
  return given
    .map((_, at) => at + 1)
    .toReversed()
    .flatMap((count) => {
      const whole = given.slice(0, count).join("_");
      const inPack = given.slice(1, count).join("_");
      const names = inPack === "" ? [whole] : [whole, ...(prefix === undefined ? [] : [prefix + inPack]), inPack];
      return names.map((name) => ({ name: name.replaceAll("-", "_"), count }));
    });
}

function outcomeOf(result: Awaited<ReturnType<Client["callTool"]>>): Outcome {
  const blocks = result.content as readonly ContentBlock[];
  const text = blocks.flatMap((block) => (block.type === "text" ? [block.text] : [])).join("\n");
  const value = isObject(result.structuredContent) ? result.structuredContent : undefined;
  const isText = blocks.every(({ type }) => type === "text");
  if (result.isError !== true) return { ok: true, text, ...(value && { value }), ...(!isText && { blocks }) };
  const { "toolpacks/error": failure, "toolpacks/result": part } = result._meta ?? {};
  return {
    ok: false,
    failure: isObject(failure) ? (failure as unknown as Failure) : { code: "unavailable", message: text },
    ...(isObject(part) && { value: part }),
  };
}
