import { languages, type Language } from "./code-languages.ts";
import { forEachLine, sampleOf } from "./lines.ts";
import type { DescribeShape } from "./shape.ts";
import { joinFitting, shown } from "./shown.ts";

interface CodeSymbol {
  readonly indent: number;
  readonly line: number;
  readonly label: string;
  /** Whether it is a variable or constant. */
  readonly isValue: boolean;
}

const minSymbols = 2;
/** Share of lines that only this language has, and of lines that end or begin as code does. */
const minSignalShare = 0.05;
const minCodeShare = 0.5;
/** Maximum symbols that are kept. The others are counted. */
const maxSymbols = 400;
const valueKeywords: ReadonlySet<string> = new Set(["const", "let", "var"]);
const codeLine = /[{}()[\];:,>\\]\s*$|^\s{2,}\S|^\s*(?:\/\/|\*|\/\*|#|--|@)/;
/** Lines that a list or table of Markdown has. */
const markdownLine = /^(?:#{1,6} \S.*|[-*+] .*|\d+\. .*|\|.*\|\s*)$/;

/** Code as its symbols with their lines, the outermost first. */
export const codeShape: DescribeShape = (text, maxTokens) => {
  const language = languageOf(sampleOf(text));
  if (language === undefined) return undefined;
  const { symbols, count, lines } = symbolsOf(text, language);
  if (count < minSymbols) return undefined;
  const outermost = symbols.toSorted((a, b) => a.indent - b.indent || Number(a.isValue) - Number(b.isValue));
  const [first, ...others] = outermost.map(({ label, line }) => `${label} ${line}`);
  const start = `${language.name}, ${lines} lines; symbols and their lines: `;
  return { text: joinFitting([`${start}${first}`, ...others], count, maxTokens) };
};

/** The language of a text. Undefined for a text that is not code. */
function languageOf(text: string): Language | undefined {
  const signals = languages.map(() => 0);
  let [lines, codeLines] = [0, 0];
  forEachLine(text, (line) => {
    if (line.trim() === "") return;
    lines += 1;
    if (codeLine.test(line) && !markdownLine.test(line)) codeLines += 1;
    for (const [at, { signal }] of languages.entries()) if (signal.test(line)) signals[at] = (signals[at] ?? 0) + 1;
  });
  // TypeScript has the lines of JavaScript too.
  if ((signals[0] ?? 0) >= Math.max(1, 0.02 * lines)) signals[0] = (signals[0] ?? 0) + (signals[1] ?? 0);
  const most = Math.max(...signals);
  const isCode = lines >= 5 && codeLines >= minCodeShare * lines && most >= Math.max(2, minSignalShare * lines);
  return isCode ? languages[signals.indexOf(most)] : undefined;
}

function symbolsOf(text: string, { symbol }: Language) {
  const symbols: CodeSymbol[] = [];
  let count = 0;
  let lines = 0;
  forEachLine(text, (line, number) => {
    lines = number;
    const found = symbol.exec(line);
    if (found === null) return;
    const groups = found.slice(1);
    // Each alternative of the pattern has three groups.
    const at = groups.findIndex((group) => group !== undefined);
    const [indent = "", keyword = "", name = ""] = groups.slice(at, at + 3);
    count += 1;
    const label = `${keyword === "" ? "" : `${keyword.toLowerCase()} `}${shown(name, 40)}`;
    if (symbols.length < maxSymbols)
      symbols.push({ indent: indent.length, line: number, label, isValue: valueKeywords.has(keyword) });
  });
  return { symbols, count, lines };
}
