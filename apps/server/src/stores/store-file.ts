/** Whether a store's address is a file's path: it has no scheme. `C:\` is a path. */
export function isFilePath(address: string): boolean {
  return !/^[a-z][a-z0-9+.-]*:\/\//i.test(address);
}
