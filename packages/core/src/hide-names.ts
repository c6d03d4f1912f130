import type { CatalogIndex } from "./catalog-index.ts";
import { isObject, type JsonSchema, type ToolSchema } from "@toolpacks/schema";
import type { Pack } from "./pack.ts";
import type { Rights } from "./rights.ts";
import type { CatalogEntry, Tool, ToolUse } from "./tool.ts";

type IsHidden = (name: string) => boolean;

/** The facets of packs that are not remotes. Texts of a remote know only names of its own. */
export function ownFacets(packs: readonly Pack[]): readonly string[] {
  return packs.flatMap(({ name, remote }) => (remote === undefined ? [name] : []));
}

/** Whether a name is of a tool that the caller may not use. */
export function hiddenNames({ byName }: CatalogIndex, isUsable: (entry: CatalogEntry) => boolean): IsHidden {
  return (name) => {
    const entry = byName.get(name);
    return entry !== undefined && !isUsable(entry);
  };
}

/**
 * Creates a function that hides, in a tool's texts, the names of tools that the caller's token does not grant. The same entry gets the same result. Names
 * that only the server's configuration refuses stay, because hiding them would load the tools of every pack at the start.
 */
export function nameFilter(
  packs: readonly Pack[],
  rights: Rights,
  isUsable: (entry: CatalogEntry) => boolean,
): (entry: CatalogEntry | undefined, index: CatalogIndex) => CatalogEntry | undefined {
  if (rights.grants === undefined) return (entry) => entry;
  const own = new Set(ownFacets(packs));
  const known = new WeakMap<CatalogEntry, CatalogEntry>();
  return (entry, index) => {
    if (entry === undefined || !own.has(entry.facet)) return entry;
    let cleaned = known.get(entry);
    if (cleaned === undefined) {
      const tool = hideNames(entry.tool, hiddenNames(index, isUsable));
      known.set(entry, (cleaned = tool === entry.tool ? entry : { ...entry, tool }));
    }
    return cleaned;
  };
}

/** Names of tools have underscores, other words of a text seldom have. */
const toolNames = /[A-Za-z][\w-]*_[\w-]*/g;

const texts = new WeakMap<Tool, string>();

/** Whether a text names a hidden tool. */
export function namesHidden(text: string, isHidden: IsHidden): boolean {
  return text.match(toolNames)?.some(isHidden) ?? false;
}

/** The tool without the hidden tools that its description, schemas and examples name. The same tool if they name none. */
function hideNames(tool: Tool, isHidden: IsHidden): Tool {
  if (!namesHidden(textOf(tool), isHidden)) return tool;
  const clean = (text: string) => text.replaceAll(toolNames, (name) => (isHidden(name) ? "another tool" : name));
  const uses = tool.uses?.();
  return {
    ...tool,
    description: clean(tool.description),
    examples: tool.examples.filter((example) => !namesHidden(JSON.stringify(example), isHidden)),
    input: cleanSchema(tool.input, clean),
    ...(tool.output && { output: cleanSchema(tool.output, clean) }),
    ...(tool.selfContained && { selfContained: () => hideNames(tool.selfContained?.() ?? tool, isHidden) }),
    ...(uses && { uses: () => uses.map((use) => cleanUse(use, clean)) }),
  };
}

function cleanUse(use: ToolUse, clean: (text: string) => string): ToolUse {
  const searched = use.searched?.bind(use);
  return {
    ...use,
    description: clean(use.description),
    keywords: use.keywords.map(clean),
    input: () => cleanDescriptions(use.input(), clean) as JsonSchema,
    ...(searched && { searched: () => cleanDescriptions(searched(), clean) as JsonSchema }),
  };
}

/** Every text of a tool that lists and descriptions show. */
function textOf(tool: Tool): string {
  let text = texts.get(tool);
  if (text === undefined) {
    const { description, examples, input, output } = tool;
    const uses = tool.uses?.().map((use) => [use.description, use.keywords, use.input(), use.searched?.()]);
    texts.set(tool, (text = JSON.stringify([description, examples, input.full(), output?.full(), uses])));
  }
  return text;
}

function cleanSchema(schema: ToolSchema, clean: (text: string) => string): ToolSchema {
  let json: JsonSchema | undefined;
  return {
    ...schema,
    json: () => (json ??= cleanDescriptions(schema.json(), clean) as JsonSchema),
    full: () => cleanDescriptions(schema.full(), clean) as JsonSchema,
  };
}

function cleanDescriptions(value: unknown, clean: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => cleanDescriptions(item, clean));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === "description" && typeof inner === "string" ? clean(inner) : cleanDescriptions(inner, clean),
    ]),
  );
}
