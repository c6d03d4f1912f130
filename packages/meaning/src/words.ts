/** The words of a text in lower case: letters and digits of ASCII. Names such as `listPullRequests` and `list_pull_requests` are split. */
export function wordsOf(text: string): readonly string[] {
  const spaced = text.replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2").replaceAll(/([A-Z])([A-Z][a-z])/g, "$1 $2");
  return (
    spaced
      .toLowerCase()
      .replaceAll(/['’]s\b|['’]/g, "")
      .match(/[a-z0-9]+/g) ?? []
  );
}
