/**
 * An FTS5 expression for words. Each is quoted, so that none is an operator. `workspace` narrows it to one workspace's records by the
 * word that marks them.
 */
export function matchExpression(words: readonly string[], match: "all" | "any", workspace?: number): string {
  const quoted = words.map((word) => `"${word.replaceAll('"', '""')}"`).join(match === "all" ? " AND " : " OR ");
  const text = `{first rest} : (${quoted})`;
  return workspace === undefined ? text : `(workspace : ${workspaceWord(workspace)}) AND (${text})`;
}

export function workspaceWord(workspace: number): string {
  return `w${workspace}`;
}
