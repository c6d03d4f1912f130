import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { ToolError } from "@toolpacks/core";
import { detectType } from "./text-file.ts";

/** MIME types of images that models accept. */
const imageTypes = new Set(["image/png", "image/jpeg", "image/gif", "image/webp"]);

const maxImageBytes = 5 * 1024 * 1024;
const signatureBytes = 4096;

/** The first bytes of these image types, in hex. Other files are not checked further. */
const signatures = ["89504e47", "ffd8ff", "47494638", "52494646"];

/** Reads an image's data; undefined if the file is not an image that models accept. */
export async function readImage(
  file: FileHandle,
  { size }: Stats,
  shown: string,
): Promise<{ readonly data: string; readonly mimeType: string } | undefined> {
  const start = Buffer.alloc(Math.min(size, signatureBytes));
  await file.read(start, 0, start.length, 0);
  const head = start.subarray(0, 4).toString("hex");
  if (!signatures.some((signature) => head.startsWith(signature))) return undefined;
  const mimeType = await detectType(start);
  if (mimeType === undefined || !imageTypes.has(mimeType)) return undefined;
  if (size > maxImageBytes) {
    throw new ToolError("too_large", `${shown}: an image of ${size} bytes; at most ${maxImageBytes} can be shown`);
  }
  const data = Buffer.alloc(size);
  await file.read(data, 0, size, 0);
  return { data: data.toString("base64"), mimeType };
}
