import { formatHandle, type HandleMode } from "../handle.ts";
import type { ValueInfo } from "@toolpacks/core/values";

const maxLines = 4;
const maxCharacters = 240;

/** The first lines of a text, cut to the limits above. */
export function beginning(text: string): string {
  return text
    .slice(0, maxCharacters)
    .toWellFormed()
    .split("\n", maxLines)
    .map((line) => line.trimEnd())
    .join("\n")
    .trim();
}

/** The text that a model reads in place of a value: its handle, size, type and first lines. */
export function renderBoxed(info: ValueInfo, mode: HandleMode, begins?: string): string {
  const { id, mimeType, size, lines, text } = info;
  if (mode === "json") {
    const uri = formatHandle(id);
    return JSON.stringify({ type: "resource_link", uri, mimeType, size, ...(text && { lines, begins }) });
  }
  const head = `${formatHandle(id)} stands for ${mimeType}, ${size} bytes${text ? `, ${lines} lines` : ""}.`;
  const use = `Pass the handle as an argument in its place${text ? ", or look into it with relay_read" : ""}.`;
  return begins === undefined || begins === "" ? `${head} ${use}` : `${head} ${use} It begins:\n${begins}`;
}
