import { readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { drawPictures, runDemo } from "./pictures.ts";

let printed = "";
beforeAll(async () => {
  printed = await runDemo();
}, 180_000);

test("the demo shows the surfaces, a search, a call of each part, and the entry of a client", () => {
  const stdout = stripVTControlCharacters(printed);
  const tokens = (surface: string) =>
    Number(new RegExp(`^ {2}${surface} +█+ +([\\d,]+) `, "m").exec(stdout)?.[1]?.replaceAll(",", ""));
  expect(tokens("direct")).toBeGreaterThan(20_000);
  expect(tokens("discovery")).toBeLessThan(1_300);
  expect(tokens("two-tool")).toBeLessThan(1_000);
  const [shown = "", setup] = stdout.split("\nTo use it\n");
  expect(shown).toContain("fs_read(path?: string");
  for (const part of ["store", "issues", "memory", "workflow", "relay", "server"])
    expect(shown).toMatch(new RegExp(`^ {2}✓ ${part} +\\S`, "m"));
  const lines = shown.split("\n");
  expect(lines.length).toBeLessThan(45);
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
  expect(setup).toContain('"mcpServers"');
});

test("the pictures in docs/pictures show what the demo prints", () => {
  const drawn = drawPictures(printed);
  expect(Object.keys(drawn)).toEqual(["first-command.svg", "surfaces.svg"]);
  for (const [name, svg] of Object.entries(drawn)) {
    const committed = readFileSync(new URL(`../../docs/pictures/${name}`, import.meta.url), "utf8");
    expect(comparable(committed), `docs/pictures/${name} is out of date; run \`pnpm pictures\``).toEqual(
      comparable(svg),
    );
    expect(svg).not.toMatch(/(?:href|src|url\()/);
  }
});

/** The lines of a picture. The size of the lockfile differs after each update of a dependency. */
function comparable(svg: string): readonly string[] {
  return svg.replaceAll(/\d+\u00A0bytes/g, "some\u00A0bytes").split(/\r?\n/);
}
