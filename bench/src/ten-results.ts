// `node bench/src/ten-results.ts [folder]`: ten large results, what is shown of each, and how many of five questions one `relay_read`
// answers; after a build. Without a folder, on generated texts. A file that is missing is made by an official server, or left out.
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { fixtures } from "./ten-results/fixtures.ts";
import { measure } from "./ten-results/measure.ts";
import { makeResults } from "./ten-results/official-servers.ts";
import { files, largeResult } from "./ten-results/ten-results.ts";

const [folder] = process.argv.slice(2);
const made = folder === undefined ? fixtures : await makeResults();
const rows = [];
for (const file of files) {
  const place = folder === undefined ? "" : path.join(folder, file);
  const text = existsSync(place) ? readFileSync(place, "utf8") : made[file];
  if (text === undefined) {
    console.log(`${file} is left out: it is not in ${folder}`);
    continue;
  }
  const { open, tokens, shownTokens, shownAnswers, answers, readTokens } = await measure(largeResult(file, text));
  for (const one of open) console.log(`${file}: no answer: ${one}`);
  rows.push({
    result: file,
    KB: Math.round(Buffer.byteLength(text) / 1e3),
    tokens,
    "tokens shown": shownTokens,
    "answered by what is shown": `${shownAnswers}/5`,
    "with one read": `${answers}/5`,
    "tokens of a read": readTokens,
  });
}
console.table(rows);
process.exit(0);
