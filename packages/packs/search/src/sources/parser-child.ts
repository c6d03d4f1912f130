/**
 * The process that parses sources: code in files is hostile input for native parsers, which take memory without a bound and abort the process
 * that they run in. It ends when the process that started it does.
 */
import { Worker } from "node:worker_threads";
import type { NapiConfig } from "@ast-grep/napi";
import { languageOfParser } from "../languages/language.ts";
import { loadParsers } from "../languages/load-parsers.ts";
import { findSymbols } from "../languages/symbols.ts";
import { codeRule, findCode, type Parse } from "./find-code.ts";
import type { ParserReply, ParserStart, ParserTask } from "./parser-task.ts";

const maxBytes = 1024 ** 3;
const largeBytes = maxBytes / 2;

/**
 * Ends this process where its memory exceeds the bound, or its parent is gone. On a thread of its own, because native code may hold
 * the main one.
 */
const watchdog = `
const { workerData: { parent, maxBytes } } = require("node:worker_threads");
setInterval(() => {
  if (process.memoryUsage.rss() > maxBytes || process.ppid !== parent) process.kill(process.pid, "SIGKILL");
}, 20);`;

new Worker(watchdog, { eval: true, workerData: { parent: process.ppid, maxBytes } }).unref();

const send = (message: ParserStart | ParserReply) => process.send?.(message);

process.on("disconnect", () => process.exit());
const parse = await loadParsers().catch(() => undefined);
if (parse === undefined) send({ kind: "missing" });
else {
  process.on("message", (task: ParserTask) => send(run(task, parse)));
  send({ kind: "ready" });
}

function run({ parser, source, maxFound, search }: ParserTask, parse: Parse): ParserReply {
  const language = languageOfParser(parser);
  if (language === undefined) throw new Error(`unknown parser ${parser}`);
  const root = parse(parser, source);
  const isLarge = () => process.memoryUsage.rss() > largeBytes;
  if (search.kind === "symbols") {
    const symbols = findSymbols(root, language, search);
    return { kind: "found", found: symbols.slice(0, maxFound), total: symbols.length, isLarge: isLarge() };
  }
  try {
    const rule = ruleOf(search.pattern, parser, () => codeRule(search.pattern, language, parse));
    return { kind: "found", ...findCode(root, rule, { source, maxFound }), isLarge: isLarge() };
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split("|->").at(-1) ?? "") : String(error);
    // The parser sees another character in place of each $.
    return { kind: "problem", problem: problem.trim().replaceAll(/[µ\u{10000}]/gu, "$") };
  }
}

let lastRule: { readonly key: string; readonly rule: NapiConfig } | undefined;

/** The files of one search follow each other, so the last rule is enough. */
function ruleOf(pattern: string, parser: string, create: () => NapiConfig): NapiConfig {
  const key = `${parser} ${pattern}`;
  if (lastRule?.key !== key) lastRule = { key, rule: create() };
  return lastRule.rule;
}
