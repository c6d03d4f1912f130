// Copies the WebAssembly files of the parsers into `dist`, with the licenses of their packages.
import { copyFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { joinNotices, notice, noticesFile } from "../../../scripts/third-party-notices.ts";
import { parserFiles } from "./src/languages/parser-files.ts";

const { resolve } = createRequire(import.meta.url);
const dist = path.join(import.meta.dirname, "dist");

const sources = parserFiles.map(({ from, file }) => resolve(`${from}/${file}`));
for (const source of sources) copyFileSync(source, path.join(dist, path.basename(source)));
writeFileSync(path.join(dist, noticesFile), joinNotices(sources.map((source) => notice(path.dirname(source)))));
