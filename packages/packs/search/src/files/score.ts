/** Tells how well a path fits: undefined where it does not, else more for a better fit. */
export type Score = (path: string) => number | undefined;

/** As an editor's quick-open: parts in any order, and a fit with the file's name goes before one with its folders. */
export async function createScore(query: string): Promise<Score> {
  const { prepare, single } = await import("fuzzysort");
  const parts = query.toLowerCase().split(/\s+/);
  const fit = (text: string) => single(query, prepare(text))?.score;
  return (path) => {
    const lower = path.toLowerCase();
    // Preparing a path costs far more than seeing that it lacks the letters.
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
