import type { CallToolResult } from "@modelcontextprotocol/client";
import { defineForeignTool, inSpan, type JsonSchema, type Tool, type ToolSchema, untilAborted } from "@toolpacks/core";
import type { ToolHints } from "./acceptance.ts";
import { cleanDescriptions, cleanText, cleanTexts } from "./clean-text.ts";
import type { OfferedTool } from "./offer.ts";
import type { ToolOverride } from "./options.ts";
import { interfaceOf } from "./passed-meta.ts";
import { replyOf } from "./reply-of.ts";
import { requestSpan } from "./request-span.ts";
import type { UpstreamServer } from "./upstream-server.ts";

interface ForeignTool {
  /** The name of the tool here. */
  readonly name: string;
  readonly offered: OfferedTool;
  /** The accepted hints. A hint that reduces warnings counts only when it was accepted. */
  readonly accepted: ToolHints;
  /** The call that takes back a call of it. */
  readonly inverse: Tool["effects"]["inverse"];
}

/** Converts a server's tool to one of ours. Calls use the server's name for it. */
export function foreignTool(
  { plan, offers, session }: UpstreamServer,
  { name, offered, accepted, inverse }: ForeignTool,
): Tool {
  const override: ToolOverride = plan.tools?.[offered.name] ?? {};
  const { annotations = {}, title } = offered;
  const agreed = (hint: keyof ToolHints, value: boolean) => annotations[hint] === value && accepted[hint] === value;
  const description = offered.description ?? title ?? annotations.title ?? offered.name;
  const schema = withoutReserved(offered.inputSchema, plan.reserved);
  const shownName = override.rename === undefined ? [] : [offered.name];
  const toolDefinition = { name: offered.name, inputSchema: { ...offered.inputSchema, type: "object" as const } };
  const span = requestSpan(plan.name, "tools/call", offered.name);
  const item = { kind: "tool", name: offered.name, shownName: name } as const;
  const tool = defineForeignTool({
    name,
    description: override.description ?? cleanText(description),
    mutates: override.mutates ?? !agreed("readOnlyHint", true),
    effects: {
      ...(annotations.destructiveHint !== undefined && { destructive: !agreed("destructiveHint", false) }),
      ...(annotations.idempotentHint !== undefined && { idempotent: agreed("idempotentHint", true) }),
      openWorld: !agreed("openWorldHint", false),
      ...(inverse && { inverse }),
    },
    // Without the title: it may change after the tool was accepted.
    keywords: [...(override.keywords ?? []), ...shownName],
    media: true,
    inputSchema: schema.json,
    handler: async (input, context) => {
      const params = { name: offered.name, arguments: schema.asTheirs(input) };
      const running = await session();
      const result = await inSpan({ ...span, failureOf, context }, (within) =>
        running.run(async (client, options, trace) => {
          // The connection may offer other tools than the cached offer.
          await untilAborted(options.signal, offers.admit(item, client));
          return client.callTool({ ...params, ...trace }, { ...options, toolDefinition });
        }, within),
      );
      const reply = replyOf(result, plan.name);
      // The interface of an MCP App shows the structured content.
      return interfaceOf(offered._meta) === undefined ? reply : { ...reply, form: "both" };
    },
  });
  return {
    ...tool,
    ...(offered._meta && { meta: offered._meta }),
    input: shown(tool.input),
    ...(offered.outputSchema && { output: anything(offered.outputSchema) }),
  };
}

function failureOf({ isError }: CallToolResult): string | undefined {
  return isError === true ? "tool_error" : undefined;
}

/**
 * A schema for display: lists show cleaned texts. Calls are checked against the server's schema.
 */
function shown(schema: ToolSchema): ToolSchema {
  let json: JsonSchema | undefined;
  let full: JsonSchema | undefined;
  return {
    json: () => (json ??= cleanTexts(schema.json())),
    full: () => (full ??= cleanDescriptions(schema.full())),
    check: (value, pending) => schema.check(value, pending),
  };
}

/** An output schema that accepts any result: results pass through unchanged. */
function anything(schema: JsonSchema): ToolSchema {
  return {
    json: () => cleanTexts(schema),
    full: () => cleanDescriptions(schema),
    check: (value) => ({ ok: true, value }),
  };
}

interface Renamed {
  readonly json: JsonSchema;
  readonly asTheirs: (input: Readonly<Record<string, unknown>>) => Record<string, unknown>;
}

/** Renames parameters whose names are reserved by the surface. Calls use the server's names. */
function withoutReserved(schema: JsonSchema, reserved: readonly string[]): Renamed {
  const { properties = {}, required, ...rest } = schema as { properties?: JsonSchema; required?: unknown };
  const own = Object.keys(properties);
  const here = new Map(
    own.filter((name) => reserved.includes(name)).map((name) => [name, freeName(`tool_${name}`, own)]),
  );
  if (here.size === 0) return { json: schema, asTheirs: (input) => ({ ...input }) };
  const there = new Map([...here].map(([theirs, ours]) => [ours, theirs]));
  const rename = (names: ReadonlyMap<string, string>, fields: Readonly<Record<string, unknown>>) =>
    Object.fromEntries(Object.entries(fields).map(([name, value]) => [names.get(name) ?? name, value]));
  return {
    json: {
      ...rest,
      properties: rename(here, properties),
      ...(Array.isArray(required) && { required: required.map((name: string) => here.get(name) ?? name) }),
    },
    asTheirs: (input) => rename(there, input),
  };
}

function freeName(name: string, taken: readonly string[]): string {
  return taken.includes(name) ? freeName(`${name}_`, taken) : name;
}
