import path from "node:path";

const repository = "https://github.com/toolpacks/toolpacks/blob/main";

/** The address on GitHub of a relative link that leaves `docs`; undefined for any other link. */
export function repositoryLink(href: string, page: string): string | undefined {
  if (/^([a-z]+:|#|\/)/.test(href)) return undefined;
  const [file = "", anchor] = href.split("#");
  const target = path.posix.join("docs", path.posix.dirname(page), file);
  if (target === "docs" || target.startsWith("docs/")) return undefined;
  return `${repository}/${target}${anchor === undefined ? "" : `#${anchor}`}`;
}
