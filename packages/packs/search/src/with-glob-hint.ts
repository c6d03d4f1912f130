import { globHint } from "@toolpacks/files";

/** Adds why globs may have found nothing to a page without hits. */
export function withGlobHint<P extends { readonly total: number; readonly hint?: string | undefined }>(
  page: P,
  { path, globs }: { path?: string | undefined; globs?: readonly string[] | undefined },
): P {
  const hint = page.total === 0 ? globHint(path, globs) : undefined;
  return hint === undefined ? page : { ...page, hint: [hint, page.hint ?? []].flat().join(" ") };
}
