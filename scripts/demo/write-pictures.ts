// `pnpm pictures`: draws docs/pictures from the output of the demo.
import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { drawPictures, runDemo } from "./pictures.ts";

const folder = new URL("../../docs/pictures/", import.meta.url);
mkdirSync(folder, { recursive: true });
for (const [name, svg] of Object.entries(drawPictures(await runDemo({ color: true })))) {
  const file = new URL(name, folder);
  writeFileSync(file, svg);
  console.log(fileURLToPath(file));
}
