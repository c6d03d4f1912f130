export { escapeControls, printableJson, printableText } from "./printable-text.ts";
export { stackLines } from "./stack-lines.ts";
export { exitOnStdoutError, stdoutError, writeStdout } from "./stdout.ts";
export { table } from "./table.ts";
