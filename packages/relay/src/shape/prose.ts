import { forEachLine } from "./lines.ts";
import type { DescribeShape } from "./shape.ts";
import { joinFitting, shown } from "./shown.ts";

interface Heading {
  readonly level: number;
  readonly line: number;
  readonly title: string;
}

const minHeadings = 2;
/** Maximum headings that are kept. The others are counted. */
const maxHeadings = 400;
const markdown = /^(#{1,6})\s+(\S.*?)\s*#*\s*$/;
const html = /<h([1-6])\b[^>]{0,200}>(.{1,250}?)(?:<\/h|$)/i;
/** `1. Introduction`, `2.3 Methods`, `Chapter 4`: a line of its own between empty ones. */
const numbered =
  /^\s{0,8}(?:(?:chapter|part|section|appendix)\s+[\w.]{1,12}\b|[1-9]\d?(?:\.\d{1,2}){0,3}\.?\s+\p{Lu}).{0,70}$/iu;
const capitals = /^[^\p{Ll}_]{4,60}$/u;
const fence = /^\s{0,3}(?:```|~~~)/;

/** Markdown, HTML and prose as headings with their lines, the highest levels first. */
export const proseShape: DescribeShape = (text, maxTokens) => {
  const { headings, count, lines } = headingsOf(text);
  if (count < minHeadings) return undefined;
  const kept = withinLevels(headings, maxTokens);
  const [first, ...others] = kept.map(({ level, line, title }) => `${"#".repeat(level)} ${shown(title, 50)} ${line}`);
  return {
    text: joinFitting([`prose, ${lines} lines; headings and their lines: ${first}`, ...others], count, maxTokens),
  };
};

/** A heading takes about this many tokens. */
const tokensPerHeading = 7;

/** The headings of the highest levels, as many levels as nearly fit, in order. */
function withinLevels(headings: readonly Heading[], maxTokens: number): readonly Heading[] {
  for (let deepest = 6; deepest > 1; deepest -= 1) {
    const kept = headings.filter(({ level }) => level <= deepest);
    if (kept.length * tokensPerHeading <= maxTokens) return kept.length > 0 ? kept : headings;
  }
  const top = headings.filter(({ level }) => level === 1);
  return top.length > 1 ? top : headings.filter(({ level }) => level <= 2);
}

function headingsOf(text: string) {
  const headings: Heading[] = [];
  let [count, lines] = [0, 0];
  let isFenced = false;
  let [previous, beforePrevious] = ["", ""];
  const add = (level: number, line: number, title: string) => {
    count += 1;
    if (headings.length < maxHeadings) headings.push({ level, line, title });
  };
  forEachLine(text, (line, number) => {
    lines = number;
    if (line === "" && previous === "") return;
    if (fence.test(line)) isFenced = !isFenced;
    if (isFenced) return;
    const heading = isAfterComment(line, previous) ? null : (markdown.exec(line) ?? html.exec(line));
    const isUnderline = /^(?:=+|-{3,})\s*$/.test(line);
    if (heading !== null)
      add(
        levelOf(heading[1] ?? "1"),
        number,
        line.startsWith("#") ? (heading[2] ?? "") : withoutTags(heading[2] ?? ""),
      );
    else if (isUnderline && isTitle(previous)) add(line.startsWith("=") ? 1 : 2, number - 1, previous);
    else if (line.trim() === "" && beforePrevious.trim() === "" && isPlainHeading(previous)) {
      add(/\d\.\d/.test(previous) ? 3 : 2, number - 1, previous);
    }
    [beforePrevious, previous] = [previous, line];
  });
  return { headings, count, lines };
}

/** Whether a line follows one that begins in the same way: a comment of several lines, as scripts and settings have them. */
function isAfterComment(line: string, previous: string): boolean {
  const [mark] = /^#+/.exec(line) ?? [];
  return mark !== undefined && /^#+/.exec(previous)?.[0] === mark;
}

function withoutTags(title: string): string {
  return title.replaceAll(/<[^>]*(?:>|$)/g, "").trim();
}

function levelOf(mark: string): number {
  return mark.startsWith("#") ? mark.length : Number(mark);
}

function isTitle(line: string): boolean {
  return /^\S.{2,80}$/.test(line) && !/[|.;,]$/.test(line) && !markdown.test(line);
}

function isPlainHeading(line: string): boolean {
  if (/[.,;:]\s*$/.test(line)) return false;
  return numbered.test(line) || (capitals.test(line) && /\p{Lu}{3}/u.test(line));
}
