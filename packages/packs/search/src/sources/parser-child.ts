/**
 * The process that parses sources. Files are hostile input: a native parser may need unlimited memory, or crash its process. This process ends with its
 * parent.
 */
import { Worker } from "node:worker_threads";
import type { NapiConfig } from "@ast-grep/napi";
import { languageOfParser } from "../languages/language.ts";
import { loadParsers } from "../languages/load-parsers.ts";
import { findReferences } from "../languages/references.ts";
import { findEnclosing, findSymbols } from "../languages/symbols.ts";
import { codeRule, findCode, type Parse } from "./find-code.ts";
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
  if (search.kind === "enclosing") {
    const found = findEnclosing(root, language, search.lines);
    return { kind: "found", found, total: found.length, isLarge: isLarge() };
  }
  if (search.kind === "references") {
    const { name, owners } = search;
    return { kind: "found", ...findReferences(root, language, { source, name, owners, maxFound }), isLarge: isLarge() };
  }
  if (search.kind === "symbols") {
    const symbols = findSymbols(root, language, search);
    return { kind: "found", found: symbols.slice(0, maxFound), total: symbols.length, isLarge: isLarge() };
  }
  try {
    const rule = ruleOf(search.pattern, parser, () => codeRule(search.pattern, language, parse));
    return { kind: "found", ...findCode(root, rule, { source, maxFound }), isLarge: isLarge() };
  } catch (error) {
    const problem = error instanceof Error ? (error.message.split("|->").at(-1) ?? "") : String(error);
    // ast-grep replaces each $ by another character.
    return { kind: "problem", problem: problem.trim().replaceAll(/[µ\u{10000}]/gu, "$") };
  }
}

let lastRule: { readonly key: string; readonly rule: NapiConfig } | undefined;

/** Caches the last rule, because the files of one search follow each other. */
function ruleOf(pattern: string, parser: string, create: () => NapiConfig): NapiConfig {
  const key = `${parser} ${pattern}`;
  if (lastRule?.key !== key) lastRule = { key, rule: create() };
  return lastRule.rule;
}
