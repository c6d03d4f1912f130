import { escapeXml } from "./terminal-svg.ts";

const width = 720;
const barLeft = 112;
const maxBarWidth = 380;

/** Values of one scale, as the demo prints them. */
export interface BarChart {
  readonly title: string;
  readonly bars: readonly { readonly label: string; readonly value: number; readonly note: string }[];
}

/** Draws bars on a card that has colours for light and for dark pages. */
export function barsSvg({ title, bars }: BarChart): string {
  const max = Math.max(...bars.map(({ value }) => value));
  const height = 64 + bars.length * 52;
  const label = `${title}: ${bars.map((bar) => `${bar.label} ${bar.value.toLocaleString("en")}`).join(", ")}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="system-ui, sans-serif" font-size="15" role="img" aria-label="${escapeXml(label)}">`,
    "<style>.card{fill:#f6f8fa;stroke:#d1d9e0}text{fill:#1f2328}.max{fill:#cf5c36}.bar{fill:#2f7d5b}@media (prefers-color-scheme:dark){.card{fill:#161b22;stroke:#3d444d}text{fill:#e6edf3}.max{fill:#f0883e}.bar{fill:#56d364}}</style>",
    `<rect class="card" x="0.5" y="0.5" width="${width - 1}" height="${height - 1}" rx="10"/>`,
    `<text x="24" y="36" font-weight="600">${escapeXml(title)}</text>`,
    ...bars.map(({ label: name, value, note }, index) => {
      const y = 62 + index * 52;
      const barWidth = Math.round((value / max) * maxBarWidth * 10) / 10;
      return [
        `<text x="24" y="${y + 20}">${escapeXml(name)}</text>`,
        `<rect class="${value === max ? "max" : "bar"}" x="${barLeft}" y="${y}" width="${barWidth}" height="30" rx="4"/>`,
        `<text x="${barLeft + barWidth + 10}" y="${y + 20}"><tspan font-weight="600">${value.toLocaleString("en")}</tspan> · ${escapeXml(note)}</text>`,
      ].join("");
    }),
    "</svg>",
    "",
  ].join("\n");
}
