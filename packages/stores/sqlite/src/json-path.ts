/** `owner.name` as SQLite's JSON functions take it. */
export function jsonPath(path: string): string {
  const names = path.split(".").map((name) => `.${JSON.stringify(name)}`);
  return `$${names.join("")}`;
}
