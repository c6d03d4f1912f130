import { definePack } from "@toolpacks/core";
import { z } from "zod";
import { deepCheck } from "./deep-check.ts";
import { fetchPage } from "./fetch-page.ts";
import { transcribeVideo } from "./transcribe-video.ts";
import { writeDrive } from "./write-drive.ts";

/**
 * Four simulated tools with large results and no network access. Pages and transcripts are generated from their address and always the same. The
 * drive is in memory.
 */
export const simulated = definePack({
  name: "simulated",
  description: "Simulated tools: transcribe a video, fetch a page, check documents, write to a drive.",
  budget: 330,
  options: z
    .strictObject({ drive: z.instanceof(Map<string, string>).default(() => new Map()) })
    .prefault({})
    .describe("files by their paths"),
  tools: ({ drive }) => [transcribeVideo, fetchPage, deepCheck, writeDrive(drive)],
});
