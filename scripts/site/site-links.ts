import { readFileSync, globSync } from "node:fs";
import path from "node:path";

const base = "/toolpacks/";
/** TypeDoc writes these pages after the build. */
const written = /^api\//;

/** Finds the links of built pages to files or headings of the site that do not exist. */
export function brokenLinks(folder: string): readonly string[] {
  const pages = new Map(
    globSync("**/*.html", { cwd: folder }).map((file) => [
      file.replaceAll(path.sep, "/"),
      readFileSync(path.join(folder, file), "utf8"),
    ]),
  );
  const files = new Set(globSync("**/*", { cwd: folder }).map((file) => file.replaceAll(path.sep, "/")));
  return [...pages].flatMap(([page, html]) =>
    linksOf(html)
      .filter((link) => !isFound(new URL(link, `http://site${base}${page}`), files, pages))
      .map((link) => `${page}: ${link}`),
  );
}

function linksOf(html: string): readonly string[] {
  const found = [...html.matchAll(/<[^>]*?\s(?:href|src)="([^"]+)"/g)].map(([, link = ""]) =>
    link.replaceAll("&amp;", "&"),
  );
  return [...new Set(found)].filter((link) => !/^(https?:|mailto:|data:)/.test(link));
}

function isFound({ pathname, hash }: URL, files: ReadonlySet<string>, pages: ReadonlyMap<string, string>): boolean {
  if (!pathname.startsWith(base)) return false;
  const target = decodeURIComponent(pathname.slice(base.length));
  if (written.test(target)) return true;
  const file = target === "" || target.endsWith("/") ? `${target}index.html` : target;
  if (!files.has(file)) return false;
  return hash === "" || (pages.get(file)?.includes(`id="${decodeURIComponent(hash.slice(1))}"`) ?? false);
}
