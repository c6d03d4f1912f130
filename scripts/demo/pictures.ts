import { execFile } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { promisify, stripVTControlCharacters } from "node:util";
import { barsSvg, type BarChart } from "./bars-svg.ts";
import { terminalSvg } from "./terminal-svg.ts";

const demo = fileURLToPath(new URL("./demo.ts", import.meta.url));
/** Each id is a part of this text. */
const sampleIds = "2ry18bc54axriqbdk7m3w90zfh6tgu1c8n5vjoep";
const command = "npx --yes pnpm@12 start";

/** Runs the demo in an empty home folder. Resolves to its output, with colours. */
export async function runDemo(): Promise<string> {
  const home = mkdtempSync(path.join(tmpdir(), "demo-home-"));
  const { NO_COLOR: _no, ...inherited } = process.env;
  // The cached tool list of another server changes the instructions, and so the tokens.
  const folders = [
    "HOME",
    "USERPROFILE",
    "APPDATA",
    "LOCALAPPDATA",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
  ];
  const own = Object.fromEntries(folders.map((name) => [name, home]));
  const env = { ...inherited, ...own, FORCE_COLOR: "1" };
  try {
    return (await promisify(execFile)(process.execPath, [demo], { env, cwd: home })).stdout;
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** Draws the coloured output of the demo. Each picture is named by its file in `docs/pictures`. */
export function drawPictures(output: string): Readonly<Record<string, string>> {
  // The rest has paths of this machine.
  const [shown = ""] = fixIds(output.replaceAll("\r\n", "\n")).split(/\n[^\n]*To use it[^\n]*\n/);
  const terminal = `\u001B[32m$\u001B[39m \u001B[1m${command}\u001B[22m\n${shown.trimEnd()}`;
  return {
    "first-command.svg": terminalSvg(terminal, `Output of ${command}`),
    "surfaces.svg": barsSvg(readBars(stripVTControlCharacters(shown))),
  };
}

/** Replaces the ids of new records, which differ in each run. An id that is printed twice stays the same. */
function fixIds(output: string): string {
  const fixed = new Map<string, string>();
  return output
    .replaceAll(/\b[0-9a-z]{16}(?:[0-9a-z]{4})?\b/g, (id) => {
      const known = fixed.get(id) ?? sampleIds.slice(fixed.size, fixed.size + id.length);
      fixed.set(id, known);
      return known;
    })
    .replaceAll(/\bbd-[0-9a-z]{4}\b/g, "bd-k3x9");
}

function readBars(output: string): BarChart {
  const title = /^.* tools: .*$/m.exec(output)?.[0];
  const bars = [...output.matchAll(/^ {2}(\S+) +█+ +([\d,]+) {2}(.+)$/gm)].map(
    ([, label = "", value = "", note = ""]) => ({ label, value: Number(value.replaceAll(",", "")), note }),
  );
  if (title === undefined || bars.length === 0) throw new Error(`the demo printed no bars:\n${output}`);
  return { title, bars };
}
