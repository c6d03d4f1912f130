import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

export const noticesFile = "THIRD-PARTY-NOTICES.txt";

const separator = `\n${"-".repeat(80)}\n\n`;
const licenseName = /^(licen[cs]e|notice|copying)/i;

/** The license of the npm package in a folder, as it stands in a file of notices. */
export function notice(folder: string): string {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const files = readdirSync(folder, { withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile() && licenseName.test(file.name))
    .map((file) => readFileSync(path.join(folder, file.name), "utf8").trim());
  if (manifest.license === undefined && texts.length === 0)
    throw new Error(`${manifest.name} is bundled and names no license`);
  return `${manifest.name} ${manifest.version}\nLicense: ${manifest.license ?? "see below"}\n\n${texts.join("\n\n")}\n`;
}

/** Joins notices into the text of a file, each once. */
export function joinNotices(notices: readonly string[]): string {
  return [...new Set(notices)].toSorted().join(separator);
}

/** The notices in the text of a file. */
export function splitNotices(text: string): readonly string[] {
  return text.split(separator);
}
