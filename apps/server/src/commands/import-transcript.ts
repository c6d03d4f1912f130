import { openInput, withProgress } from "@toolpacks/command-line";
import type { ImportedTranscript } from "@toolpacks/memory/transfer";
import type { Settings } from "../config/settings.ts";
import { type Io, printError } from "@toolpacks/terminal";
import { openStore } from "../stores/open-store.ts";

/** `toolpacks import --transcript <file>`: imports a session of Claude Code or Codex, and names the lines that cannot be read. */
export async function importTranscriptFile(io: Io, settings: Settings, file: string): Promise<void> {
  // Opened before the store, so that a missing file does not create an empty store.
  const input = await openInput(io, file);
  const { importTranscript } = await import("@toolpacks/memory/transfer");
  const store = await openStore(settings);
  try {
    printError(io, ...report(await importTranscript(store, withProgress(io, input))));
  } finally {
    await store.end();
  }
}

function report(imported: ImportedTranscript): readonly string[] {
  const { id, episode, outcome, written, brokenLines, brokenLineCount } = imported;
  const changes = {
    new: `${written} parts imported`,
    changed: `${written} parts imported; the others were known`,
    unchanged: "nothing imported: it is known already",
    older: "nothing imported: it is known with later messages",
  };
  const unnamed = brokenLineCount - brokenLines.length;
  return [
    `episode ${id}, ${episode.client} ${episode.from?.slice(0, 16) ?? ""}: ${episode.title}`,
    changes[outcome],
    ...(episode.cut === undefined ? [] : [`the session is long: ${episode.cut}`]),
    ...(brokenLineCount === 0 ? [] : [`${brokenLineCount} ${brokenLineCount === 1 ? "line" : "lines"} skipped:`]),
    ...brokenLines.map(({ line, problem }) => `  line ${line}: ${problem}`),
    ...(unnamed > 0 ? [`  and ${unnamed} more`] : []),
  ];
}
