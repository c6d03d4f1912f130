// `pnpm pictures`: draws docs/pictures from the output of the demo and of `toolpacks init`.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { drawPictures, runDemo } from "./pictures.ts";
import { drawSetups } from "./setup-pictures.ts";

const folder = new URL("../../docs/pictures/", import.meta.url);
mkdirSync(folder, { recursive: true });
const pictures = { ...drawPictures(await runDemo()), ...(await drawSetups()) };
for (const [name, svg] of Object.entries(pictures)) {
  const file = new URL(name, folder);
  writeFileSync(file, svg);
  console.log(fileURLToPath(file));
}
