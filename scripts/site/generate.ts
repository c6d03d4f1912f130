import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { program } from "../../apps/server/src/command-line/commands.ts";
import { variableOf } from "../../packages/command-line/src/flags.ts";
import { programCommand } from "../../packages/command-line/src/show-help.ts";
import { serveCommand } from "../../apps/server/src/command-line/serve-commands.ts";
import { processIo } from "../../packages/terminal/src/io.ts";
import { configJsonSchema } from "../../apps/server/src/commands/config-schema.ts";
import { sidebar } from "../../docs/.vitepress/sidebar.ts";
import { root } from "../readme/code-blocks.ts";
import { renderApi } from "./api-reference.ts";
import { renderCli } from "./cli-reference.ts";
import { renderConfig } from "./config-reference.ts";
import { renderTools } from "./tools-reference.ts";

const site = "https://toolpacks.github.io/toolpacks";
const docs = path.join(root, "docs");

const schema = configJsonSchema();
write("reference/cli.md", renderCli(programCommand(processIo(), program)));
write("reference/config.md", renderConfig(schema, settingFlags()));
write("reference/tools.md", renderTools());
write("reference/api.md", renderApi());
write("public/config.schema.json", `${JSON.stringify(schema, undefined, 2)}\n`);
write("public/llms.txt", renderIndex());

/** The flag and the variable of each setting that has a flag, by its field. */
function settingFlags(): ReadonlyMap<string, string> {
  const options = [...(serveCommand.flags ?? []), ...(serveCommand.shared?.flags ?? [])];
  return new Map(
    options.map((option) => {
      const variable = variableOf(option);
      const words = [option.long, ...(variable === undefined ? [] : [`$${variable}`])];
      const name = option.attributeName();
      return [name === "root" ? "roots" : name, words.map((word) => `\`${word}\``).join(", ")];
    }),
  );
}

function write(file: string, text: string): void {
  mkdirSync(path.dirname(path.join(docs, file)), { recursive: true });
  writeFileSync(path.join(docs, file), text);
}

/** The index of the site for models: each page with its first sentence (llmstxt.org). */
function renderIndex(): string {
  const groups = sidebar.map(({ text, items }) =>
    [
      `## ${text}`,
      "",
      ...items.map((page) => `- [${page.text}](${site}${page.link}.html): ${firstLine(page.link)}`),
    ].join("\n"),
  );
  const about =
    "> Tool packs for MCP servers, and a server that mounts many of them behind a tool list of constant size.";
  return ["# Toolpacks", about, ...groups, ""].join("\n\n");
}

/** The first paragraph below the title of a page, as one line without links. */
function firstLine(link: string): string {
  const [, paragraph = ""] = readFileSync(path.join(docs, `${link}.md`), "utf8").split(/\n\n+/);
  return paragraph.replaceAll("\n", " ").replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}
