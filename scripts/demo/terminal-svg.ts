import { stripVTControlCharacters } from "node:util";

const fontSize = 14;
/** Width of a character in pixels. Each text is stretched to it, so that columns align in any font. */
const charWidth = 8.4;
const lineHeight = 20;
const padding = 20;
const titleBarHeight = 36;

/** Attributes of a text by its colour code. Other codes end a style. */
const styles: Readonly<Record<string, string>> = {
  "1": ' fill="#fff" font-weight="700"',
  "2": ' fill="#8b949e"',
  "31": ' fill="#ff7b72"',
  "32": ' fill="#56d364"',
  "33": ' fill="#e3b341"',
  "36": ' fill="#39c5cf"',
};

/** Escapes a text for XML. */
export function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** Draws the output of a terminal with its colours, in a window that looks the same on light and dark pages. */
export function terminalSvg(output: string, title: string): string {
  const lines = output.split("\n");
  const columns = Math.max(...lines.map((line) => stripVTControlCharacters(line).length));
  const width = Math.ceil(columns * charWidth) + 2 * padding;
  const height = titleBarHeight + lines.length * lineHeight + padding;
  const dots = ["#ff5f57", "#febc2e", "#28c840"].map(
    (fill, index) => `<circle cx="${padding + 6 + index * 18}" cy="20" r="6" fill="${fill}"/>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeXml(title)}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace" font-size="${fontSize}" fill="#d1d7e0">`,
    `<rect x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10" fill="#161b22" stroke="#3d444d"/>`,
    dots.join(""),
    ...lines.flatMap((line, index) => drawLine(line, titleBarHeight + (index + 0.75) * lineHeight)),
    "</svg>",
    "",
  ].join("\n");
}

function drawLine(line: string, baseline: number): readonly string[] {
  let column = 0;
  let style = "";
  const drawn: string[] = [];
  // eslint-disable-next-line no-control-regex
  for (const [part, code] of line.matchAll(/\u001B\[(\d+)m|[^\u001B]+/g)) {
    if (code === undefined) {
      drawn.push(...drawText(part, { column, baseline, style }));
      column += part.length;
    } else style = styles[code] ?? "";
  }
  return drawn;
}

interface Position {
  readonly column: number;
  readonly baseline: number;
  readonly style: string;
}

/** Draws a text without the spaces around it. Fonts leave gaps between blocks, so these become a rectangle. */
function drawText(text: string, { column, baseline, style }: Position): readonly string[] {
  const shown = text.trim();
  if (shown === "") return [];
  const x = round(padding + (column + text.indexOf(shown)) * charWidth);
  const width = round(shown.length * charWidth);
  if (/^█+$/.test(shown)) {
    return [`<rect x="${x}" y="${baseline - 12}" width="${width}" height="${lineHeight - 5}"${style}/>`];
  }
  // A run of spaces is drawn as one, which would stretch the words around it.
  const words = escapeXml(shown).replaceAll(" ", "\u00A0");
  return [`<text x="${x}" y="${baseline}" textLength="${width}"${style}>${words}</text>`];
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
