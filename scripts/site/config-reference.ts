/** The parts of a JSON Schema that the page shows. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly default?: unknown;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

/** Levels of fields that the table lists. The JSON Schema has all of them. */
const maxDepth = 4;

/** Renders the JSON Schema of the config file as a page. */
export function renderConfig(schema: object): string {
  const rows = fieldRows(schema, "", 1);
  return `# Config file

The fields of \`toolpacks.config.{jsonc,json,yaml,toml}\`. \`<name>\` stands for a name that you choose. How files are found and trusted:
[README of the server](../../apps/server/README.md#settings).

An editor completes and checks the file if its first field is the address of the schema:

\`\`\`jsonc
{ "$schema": "https://toolpacks.github.io/toolpacks/config.schema.json" }
\`\`\`

\`toolpacks config schema > toolpacks.schema.json\` writes the schema of your version to a file, and \`$schema\` may be its path:
\`"./toolpacks.schema.json"\`.

\`packs\` has the options of the bundled packs, and of each pack that is imported: \`{ "./my-pack.js": { "option": 1 } }\`. The bundled packs:
[filesystem](../../packages/packs/filesystem/README.md), [search](../../packages/packs/search/README.md),
[issues](../../packages/packs/issues/README.md), [memory](../../packages/packs/memory/README.md),
[planner](../../packages/packs/planner/README.md), [workflows](../../packages/workflows/README.md).

| field | type | meaning |
| --- | --- | --- |
${rows.join("\n")}
`;
}

function fieldRows(schema: Schema, path: string, depth: number): readonly string[] {
  return fieldsOf(schema).flatMap(([name, field]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const row = `| \`${at}\` | ${cell(typeOf(field))} | ${cell(meaningOf(field))} |`;
    return [row, ...(depth < maxDepth ? fieldRows(field, at, depth + 1) : [])];
  });
}

/** The fields of an object, or of each object that a union or a list admits. */
function fieldsOf(schema: Schema): readonly (readonly [string, Schema])[] {
  const own = Object.entries(schema.properties ?? {});
  const named = typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
  const ofNamed = named === undefined ? [] : fieldsOf(named).map(([name, field]) => [`<name>.${name}`, field] as const);
  const ofOthers = [...alternativesOf(schema), ...(schema.items ? [schema.items] : [])].flatMap(fieldsOf);
  return [...new Map([...own, ...ofNamed, ...ofOthers])];
}

/** The description, with the default unless the fields of an object have defaults of their own. */
function meaningOf({ description = "", default: value, properties }: Schema): string {
  if (value === undefined || properties !== undefined) return description;
  return `${description === "" ? "" : `${description}; `}default \`${JSON.stringify(value)}\``;
}

function typeOf(schema: Schema): string {
  const alternatives = alternativesOf(schema);
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeOf))].join(" or ");
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${JSON.stringify(value)}\``).join(" or ");
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (schema.items !== undefined) return `list of ${typeOf(schema.items)}`;
  return [schema.type ?? "any"].flat().join(" or ");
}

function alternativesOf({ anyOf = [], oneOf = [] }: Schema): readonly Schema[] {
  return [...anyOf, ...oneOf];
}

/** A text in a table, without characters that Markdown or Vue would interpret. */
export function cell(text: string): string {
  return text
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")
    .replaceAll("{{", "&#123;&#123;")
    .replaceAll(/\s*\n\s*/g, " ");
}
