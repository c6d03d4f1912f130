/** Quotes a word of a command that the user may paste into a shell. On Windows, the quotes work in PowerShell and `cmd.exe`. */
export function shellQuote(word: string, platform: NodeJS.Platform = process.platform): string {
  if (platform === "win32") {
    return /^(?!~)[\w.:\\/+~-]+$/.test(word) ? word : `"${word.replaceAll(/[`$"\u201C-\u201E]/g, "`$&")}"`;
  }
  return /^(?!~)[\w./:@+~-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}
