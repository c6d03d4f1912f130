/**
 * Creates a score like an editor's quick-open: parts in any order, and a match in the file's name is better than one in its folders.
 *
 * @returns a function that says how well a path matches: higher is better, undefined is no match
 */
export async function createScore(query: string): Promise<(path: string) => number | undefined> {
  const { prepare, single } = await import("fuzzysort");
  const parts = query.toLowerCase().split(/\s+/);
  const fit = (text: string) => single(query, prepare(text))?.score;
  return (path) => {
    const lower = path.toLowerCase();
    // A cheap check first: preparing a path is slow.
    if (!parts.every((part) => hasInOrder(lower, part))) return undefined;
    const inName = fit(path.slice(path.lastIndexOf("/") + 1));
    return inName === undefined ? fit(path) : 1 + inName;
  };
}

function hasInOrder(text: string, letters: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}
