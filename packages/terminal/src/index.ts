export { claimStdout } from "./claim-stdout.ts";
export { type Input, type Io, type Output, hasColors, processIo } from "./io.ts";
export { type Cell, type Column, printTable } from "./print-table.ts";
export { type Span, clearProgress, printProgress, printStyled, styleDiffLine } from "./print-terminal.ts";
export { print, printError, printJson, printResult, writeError, writeOutput } from "./print.ts";
export { escapeControls, printableJson, printableText } from "./printable-text.ts";
export { stackLines } from "./stack-lines.ts";
export { exitOnStdoutError, stdoutError, writeStdout } from "./stdout.ts";
export { table } from "./table.ts";
