// A process that puts shared and unique values into a folder, and prints their ids.
import { fileValues } from "./file-values.ts";

const [directory = "", name = ""] = process.argv.slice(2);
const values = fileValues({ directory });

async function* long(letter: string) {
  for (let at = 0; at < 50; at += 1) yield Buffer.alloc(100_000, letter);
}

const ids: string[] = [];
for (let at = 0; at < 20; at += 1) {
  ids.push((await values.put({ data: `shared ${at}`, mimeType: "text/plain", text: true })).id);
  ids.push((await values.put({ data: `${name} ${at}`, mimeType: "text/plain", text: true })).id);
}
ids.push((await values.put({ data: long("s"), mimeType: "text/plain", text: true })).id);
ids.push((await values.put({ data: long(name), mimeType: "text/plain", text: true })).id);
await values.sweep();
console.log(JSON.stringify(ids));
