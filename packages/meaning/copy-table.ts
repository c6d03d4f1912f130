// Copies the table of word vectors into `dist`, with the licence of the texts from which it is made.
import { copyFileSync } from "node:fs";
import path from "node:path";

const folder = import.meta.dirname;
copyFileSync(path.join(folder, "data/words.table"), path.join(folder, "dist/words.table"));
