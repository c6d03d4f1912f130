// Runs a step of `pnpm start` and `pnpm test` with one line of progress. JavaScript, since any Node from 20 on runs it before the dependencies are there.
import { spawn } from "node:child_process";

/** pnpm, as it was called. */
const pnpm = process.env.npm_execpath ?? "pnpm";

/**
 * Runs pnpm. Its output is shown only if it fails, and then this process exits with its code.
 *
 * @param {string} label what the step does
 * @param {readonly string[]} args
 */
export async function phase(label, args) {
  const begun = Date.now();
  const seconds = () => `${Math.round((Date.now() - begun) / 1000)} s`;
  const isTerminal = process.stderr.isTTY;
  process.stderr.write(`${label}…${isTerminal ? "" : "\n"}`);
  const timer = isTerminal ? setInterval(() => process.stderr.write(`\r${label}… ${seconds()}`), 1000) : undefined;
  const isScript = /\.[cm]?js$/.test(pnpm);
  const child = isScript
    ? spawn(process.execPath, [pnpm, ...args], { stdio: ["inherit", "pipe", "pipe"] })
    : spawn(pnpm, args, { stdio: ["inherit", "pipe", "pipe"], shell: process.platform === "win32" });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", (text) => (output += text));
  const code = await new Promise((resolve, reject) => child.once("error", reject).once("close", resolve));
  clearInterval(timer);
  if (isTerminal) process.stderr.write(`\r${label}… ${seconds()}\n`);
  if (code === 0) return;
  process.stderr.write(`${output}\n${label} failed\n`);
  process.exit(code ?? 1);
}

/** Installs the dependencies that are missing. */
export const install = () => phase("Installing dependencies", ["install"]);
