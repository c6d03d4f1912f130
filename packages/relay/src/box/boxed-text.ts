import { formatHandle, type HandleMode } from "../handle.ts";
import type { Shape } from "../shape/shape.ts";
import type { ValueInfo } from "@toolpacks/store";

/** The text that a model reads in place of a value: its handle, size, type and shape. */
export function renderBoxed(info: ValueInfo, mode: HandleMode, shape?: Shape): string {
  const { id, mimeType, size, lines, text } = info;
  const described = shape === undefined || shape.text === "" ? undefined : shape.text;
  if (mode === "json") {
    const uri = formatHandle(id);
    return JSON.stringify({
      type: "resource_link",
      uri,
      mimeType,
      size,
      ...(text && { lines }),
      ...(described !== undefined && { shape: described }),
    });
  }
  const head = `${formatHandle(id)} stands for ${mimeType}, ${size} bytes${text ? `, ${lines} lines` : ""}.`;
  const query = shape?.isTable === true ? ", mode query: SQL over table t" : "";
  const use = `Pass the handle as an argument in its place${text ? `, or look into it with relay_read${query}` : ""}.`;
  return described === undefined ? `${head} ${use}` : `${head} ${use}\n${described}`;
}
