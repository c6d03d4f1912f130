// `node --conditions=@toolpacks/source src/token-table.fixture.ts [issues.jsonl]`: writes the table of tokens into the package's README.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { sqlite } from "@toolpacks/store-sqlite";
import { countTokens } from "@toolpacks/testkit";
import { converse, everyItem } from "./conversation.fixture.ts";
import { issueKind } from "./issue-kind.ts";
import { realIssues } from "./real-issues.fixture.ts";
import { renderItem, type IssueItem } from "./issue-item.ts";
import { importIssues } from "./transfer/import-issues.ts";

/** The o200k tokens of a list, and of the same issues in full. */
interface TokenRow {
  readonly what: string;
  readonly form: "text" | "structured";
  readonly list: number;
  readonly full: number;
}

/** Counts the tokens of the issues in a file: as lists, in full, and the average of one line. */
export async function measureTokens(
  file: string,
): Promise<{ readonly rows: readonly TokenRow[]; readonly perLine: number; readonly issues: number }> {
  const folder = mkdtempSync(path.join(tmpdir(), "issues-tokens-"));
  const store = sqlite(path.join(folder, "store.db"));
  const lines = readFileSync(file, "utf8").split("\n");
  await importIssues({ store, kind: issueKind() }, lines);
  const conversation = converse(store);
  const { ask, value } = conversation;
  const rows: TokenRow[] = [];
  for (const [what, name, args] of [
    ["list 50 issues", "issue_list", { limit: 50 }],
    ["ready 10", "issue_ready", { limit: 10 }],
  ] as const) {
    const list = await value(name, args);
    const ids = (list["items"] as readonly IssueItem[]).map(({ id }) => id);
    const text = { list: countTokens(await ask(name, args)), full: countTokens(await ask("issue_show", { ids })) };
    const full = countTokens(JSON.stringify(await value("issue_show", { ids })));
    rows.push({ what, form: "text", ...text });
    rows.push({ what, form: "structured", list: countTokens(JSON.stringify(list)), full });
  }
  const all = (await everyItem(conversation, "issue_list", { where: { status: "all" } })) as readonly IssueItem[];
  const perLine = all.reduce((sum, item) => sum + countTokens(`${renderItem(item)}\n`), 0) / all.length;
  await store.end();
  rmSync(folder, { recursive: true });
  return { rows, perLine, issues: all.length };
}

const start = "<!-- tokens: written by `npm run tokens` -->";
const end = "<!-- /tokens -->";

async function writeTable(file: string): Promise<void> {
  const { rows, perLine, issues } = await measureTokens(file);
  const cells = rows.map(({ what, form, list, full }) => {
    const share = `${((list / full) * 100).toFixed(1)} %`;
    return `| ${what} | ${form} | ${list} | ${full} | ${share} |`;
  });
  const table = [
    "| answer | form | tokens | the same in full | share |",
    "| --- | --- | --- | --- | --- |",
    ...cells,
    "",
    `A line takes ${perLine.toFixed(1)} tokens on the average of all ${issues} issues.`,
  ];
  const readme = fileURLToPath(new URL("../README.md", import.meta.url));
  const [before = "", rest = ""] = readFileSync(readme, "utf8").split(start);
  const after = rest.slice(rest.indexOf(end));
  writeFileSync(readme, `${before}${start}\n\n${table.join("\n")}\n\n${after}`);
}

const [, program, file = realIssues] = process.argv;
if (program === fileURLToPath(import.meta.url) && file !== undefined) await writeTable(file);
