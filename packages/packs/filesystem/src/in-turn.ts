/** The last change of each file that is being changed. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Runs a change of a file after the changes of the same file that began before it in this process, so that none is lost between reading and
 * writing.
 *
 * @param file a text that identifies the file
 */
export async function inTurn<Result>(file: string, change: () => Promise<Result>): Promise<Result> {
  const mine = (turns.get(file) ?? Promise.resolve()).then(change);
  const settled = mine.catch(() => {});
  turns.set(file, settled);
  try {
    return await mine;
  } finally {
    if (turns.get(file) === settled) turns.delete(file);
  }
}
