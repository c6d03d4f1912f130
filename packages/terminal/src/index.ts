export { claimStdout } from "./claim-stdout.ts";
export { type Input, type Io, type Output, hasColors, processIo } from "./io.ts";
export { type Cell, type Column, printTable, tableLines } from "./print-table.ts";
export {
  type Span,
  print,
  printError,
  printJson,
  printResult,
  printStyled,
  styleDiffLine,
  writeError,
  writeOutput,
} from "./print.ts";
export { escapeControls, printableJson, printableText } from "./printable-text.ts";
export { shellQuote } from "./shell-quote.ts";
export { stackLines } from "./stack-lines.ts";
export { exitOnStdoutError, stdoutError, writeStdout } from "./stdout.ts";
export { userFolders, type UserFolders } from "./user-folders.ts";
export { announceWaiting, waitForServers } from "./waiting.ts";
