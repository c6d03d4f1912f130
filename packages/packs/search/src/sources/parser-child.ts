/**
 * The process that parses sources. Files are hostile input: a parser may need much memory, or crash. This process ends with its
 * parent.
 */
import { Worker } from "node:worker_threads";
import { languageOfParser } from "../languages/language.ts";
import { loadParsers, type Parsers } from "../languages/load-parsers.ts";
import { findReferences } from "../languages/references.ts";
import { findEnclosing, findSymbols } from "../languages/symbols.ts";
import { codeRule, findCode } from "./find-code.ts";
import type { ParserReply, ParserStart, ParserTask } from "./parser-task.ts";

const maxBytes = 1024 ** 3;
const largeBytes = maxBytes / 2;

/**
 * Kills this process if its memory exceeds the limit, or if its parent has ended. It runs on its own thread, because native code may block the main
 * thread.
 */
const watchdog = `
const { workerData: { parent, maxBytes } } = require("node:worker_threads");
setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 20);`;

new Worker(watchdog, { eval: true, workerData: { parent: process.ppid, maxBytes } }).unref();

const send = (message: ParserStart | ParserReply) => process.send?.(message);

process.on("disconnect", () => process.exit());
const parsers = await loadParsers().catch(() => undefined);
if (parsers === undefined) send({ kind: "missing" });
else {
  // A rejection ends this process: after an error in WebAssembly, its memory may be damaged.
  process.on("message", (task: ParserTask) => void reply(task, parsers));
  send({ kind: "ready" });
}

async function reply(task: ParserTask, parsers: Parsers): Promise<void> {
  await parsers.loadGrammar(task.parser);
  send(run(task, parsers));
  parsers.free();
}

function run({ parser, source, maxFound, search }: ParserTask, { parse }: Parsers): ParserReply {
  const language = languageOfParser(parser);
  if (language === undefined) throw new Error(`unknown parser ${parser}`);
  const root = parse(parser, source);
  const answer = (found: readonly unknown[], total = found.length): ParserReply => {
    const isLarge = process.memoryUsage.rss() > largeBytes;
    return { kind: "found", found: found.slice(0, maxFound), total, isLarge };
  };
  if (search.kind === "enclosing") return answer(findEnclosing(root, language, search.lines));
  if (search.kind === "symbols") return answer(findSymbols(root, language, search));
  if (search.kind === "references") {
    const { found, total } = findReferences(root, language, { ...search, source, maxFound });
    return answer(found, total);
  }
  try {
    const rule = ruleOf(search.pattern, parser, () => codeRule(search.pattern, language, parse));
    const { found, total } = findCode(root, rule, { source, maxFound });
    return answer(found, total);
  } catch (error) {
    if (error instanceof WebAssembly.RuntimeError || error instanceof RangeError) throw error;
    const problem = error instanceof Error ? (error.message.split("|->").at(-1) ?? "") : String(error);
    // ast-grep replaces each $ by another character.
    return { kind: "problem", problem: problem.trim().replaceAll(/[µ\u{10000}]/gu, "$") };
  }
}

let lastRule: { readonly key: string; readonly rule: object } | undefined;

/** Caches the last rule, because the files of one search follow each other. */
function ruleOf(pattern: string, parser: string, create: () => object): object {
  const key = `${parser} ${pattern}`;
  if (lastRule?.key !== key) lastRule = { key, rule: create() };
  return lastRule.rule;
}
