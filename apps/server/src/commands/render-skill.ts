import { createHash } from "node:crypto";
import { isObject, type Pack, type Tool } from "@toolpacks/core";
import { shellQuote } from "@toolpacks/settings";
import { printableText } from "@toolpacks/terminal";
import { countTokens } from "../count-tokens.ts";

/** A file of the Agent Skills format. */
export interface Skill {
  /** Also the name of its folder: lower-case letters, digits and single hyphens. */
  readonly name: string;
  readonly text: string;
}

/** Tokens of a skill. Tools are left out until it fits. */
const maxTokens = 150;

/** Maximum length of a skill's name, and of a description in it. The format allows 1,024 characters. */
const maxNameLength = 64;
const maxDescriptionLength = 300;

/**
 * Renders the skill of a pack: what the pack does, the commands for its first tools, and how to find the others.
 *
 * @param flags the flags of each command
 */
export async function renderSkill(pack: Pack, flags: readonly string[]): Promise<Skill | undefined> {
  const tools = await pack.tools();
  const name = skillName(pack.name);
  const isListed = ({ deprecated }: Tool) => deprecated === undefined;
  const lines = tools.filter(isListed).map((tool) => commandLine(tool, flags));
  if (lines.length === 0) return undefined;
  for (let count = lines.length; count > 1; count -= 1) {
    const text = skillText(pack, lines.slice(0, count), flags);
    if (countTokens(text) <= maxTokens) return { name, text };
  }
  return { name, text: skillText(pack, lines.slice(0, 1), flags) };
}

function skillName(pack: string): string {
  const plain = pack.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  return `toolpacks-${plain}`.slice(0, maxNameLength).replaceAll(/^-|-$/g, "");
}

function skillText(pack: Pack, lines: readonly string[], flags: readonly string[]): string {
  const description = printableText(pack.description, maxDescriptionLength);
  const search = ["toolpacks search '<what to do>'", ...flags].join(" ");
  const body = [
    "```sh",
    ...lines,
    "```",
    "",
    `Prints the result; an error goes to stderr with exit code 1. Other tools: \`${search}\`. \`--json\` prints JSON.`,
    "",
  ].join("\n");
  // A JSON string is a YAML string, whatever characters it has.
  return sealed(
    ["---", `name: ${skillName(pack.name)}`, `description: ${JSON.stringify(description)}`, "---", "", body].join("\n"),
  );
}

function commandLine({ name, examples, input }: Tool, flags: readonly string[]): string {
  const args = examples[0]?.args ?? placeholders(input.json());
  return ["toolpacks call", shellQuote(name), shellQuote(JSON.stringify(args)), ...flags].join(" ");
}

/** The required fields of a schema, with a value of their type. */
function placeholders({ required, properties }: Readonly<Record<string, unknown>>): object {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
  const typeOf = (name: string) => {
    const schema = isObject(properties) ? properties[name] : undefined;
    return isObject(schema) ? String(schema["type"]) : "";
  };
  return Object.fromEntries(names.map((name) => [name, emptyValues[typeOf(name)] ?? `<${name}>`]));
}

const emptyValues: Readonly<Record<string, unknown>> = { object: {}, array: [], number: 1, integer: 1, boolean: true };

const seal = /\n<!-- toolpacks ([0-9a-f]{12}) -->\n$/;

/** Adds a hash of the text, by which a later run sees whether the user has changed the file. */
function sealed(text: string): string {
  return `${text}\n<!-- toolpacks ${hash(text)} -->\n`;
}

/** Whether a file was generated and has not been changed since. */
export function isUnchanged(text: string): boolean {
  const found = seal.exec(text);
  return found?.[1] !== undefined && hash(text.slice(0, found.index)) === found[1];
}

function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}
