/**
 * The error for a version of Node.js that cannot run a command. Undefined if it can. The range is the one in `engines`: the SQLite of older versions
 * and of all 23.x has no full-text search. Old versions of Node.js must be able to parse this file.
 */
export function nodeProblem(command: string, version: string): string | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major >= 24 || (major === 22 && minor >= 16)) return undefined;
  return `Node.js ${version} cannot run ${command}; install Node.js 24 or newer (or 22.16 or newer of line 22) from https://nodejs.org/`;
}
