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

/** Levels of fields that the table of a section lists. The JSON Schema has all of them. */
const maxLevels = 3;

/**
 * Renders the JSON Schema of the config file as a page.
 *
 * @param flags what else sets a field, by its name
 */
export function renderConfig(schema: Schema, flags: ReadonlyMap<string, string>): string {
  const sections = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => sectionsOf(name, field));
  return `# Config file

The fields of \`toolpacks.config.{jsonc,json,yaml,toml}\`. \`<name>\` stands for a name that you choose. How files are found and trusted:
[settings](../settings.md).

An editor completes and checks the file if its first field is the address of the schema:

\`\`\`jsonc
{
  "$schema":
    "https://toolpacks.github.io/toolpacks/config.schema.json"
}
\`\`\`

\`toolpacks config schema > toolpacks.schema.json\` writes the schema of your version to a file, and \`$schema\` may be its path:
\`"./toolpacks.schema.json"\`.

${renderFields(withFlags(schema, flags), 1)}

${sections.map(renderSection).join("\n\n")}
`;
}

/** The schema with the flag and the variable of each field in its description. */
function withFlags(schema: Schema, flags: ReadonlyMap<string, string>): Schema {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => {
    const meaning = [field.description, flags.get(name)].filter((part) => part !== undefined).join("; ");
    return [name, { ...field, description: meaning }] as const;
  });
  return { ...schema, properties: Object.fromEntries(fields) };
}

/** A field with fields of its own. */
interface Section {
  readonly path: string;
  readonly field: Schema;
}

/** The sections of a field of the file: one for each bundled pack, else one if it has fields. */
function sectionsOf(path: string, field: Schema): readonly Section[] {
  const { properties = {}, additionalProperties: named } = field;
  if (path === "packs")
    return Object.entries(properties).map(([name, pack]) => ({ path: `packs.${name}`, field: pack }));
  if (typeof named === "object") return [{ path: `${path}.<name>`, field: named }];
  return fieldsOf(field).length === 0 ? [] : [{ path, field }];
}

function renderSection({ path, field }: Section): string {
  const fields = fieldsOf(field).length === 0 ? "No fields." : renderFields(field, maxLevels);
  const meaning = field.description === undefined ? "" : `${cell(sentence(field.description))}\n\n`;
  return `## ${cell(path)}\n\n${meaning}${fields}`;
}

function sentence(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}.`;
}

function renderFields(schema: Schema, levels: number): string {
  return `| field | meaning |\n| --- | --- |\n${fieldRows(schema, "", levels).join("\n")}`;
}

/** The rows of an object's fields, with the fields of inner objects on further levels. */
function fieldRows(schema: Schema, path: string, levels: number): readonly string[] {
  return fieldsOf(schema).flatMap(([name, field]) => {
    const at = path === "" ? name : `${path}.${name}`;
    const row = `| \`${at}\`<br>${cell(typeOf(field))} | ${cell(meaningOf(field))} |`;
    return [row, ...(levels > 1 ? fieldRows(field, at, levels - 1) : [])];
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
  return `${description === "" ? "" : `${description}; `}default \`${spaced(value)}\``;
}

/** A value as JSON, in which a long list can break. */
function spaced(value: unknown): string {
  return JSON.stringify(value).replaceAll(",", ", ");
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
