import { setTimeout as sleep } from "node:timers/promises";
import { defineTool, reply, ToolError, type ContentBlock, type ToolContext } from "@toolpacks/core";
import { z } from "zod";

/** One red pixel. */
export const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

/** A sound without samples. */
const wav = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";

const image = { type: "image", data: png, mimeType: "image/png" } as const;

interface ContentTool {
  readonly name: string;
  readonly description: string;
  readonly run: (context: ToolContext) => Promise<readonly ContentBlock[]> | readonly ContentBlock[];
}

function contentTool({ name, description, run }: ContentTool) {
  return defineTool({
    name,
    description,
    mutates: false,
    media: true,
    input: z.object({}),
    output: z.object({}),
    handler: async (_, context) => reply(await run(context)),
  });
}

function text(value: string): ContentBlock {
  return { type: "text", text: value };
}

/** Tools that show each type of content, and the notifications during a call. */
export const contentTools = [
  contentTool({
    name: "test_simple_text",
    description: "Return a text.",
    run: () => [text("This is a simple text response for testing.")],
  }),
  contentTool({ name: "test_image_content", description: "Return an image.", run: () => [image] }),
  contentTool({
    name: "test_audio_content",
    description: "Return a sound.",
    run: () => [{ type: "audio", data: wav, mimeType: "audio/wav" }],
  }),
  contentTool({
    name: "test_embedded_resource",
    description: "Return a resource.",
    run: () => [
      {
        type: "resource",
        resource: {
          uri: "test://embedded-resource",
          mimeType: "text/plain",
          text: "This is an embedded resource content.",
        },
      },
    ],
  }),
  contentTool({
    name: "test_multiple_content_types",
    description: "Return a text, an image and a resource.",
    run: () => [
      text("Multiple content types test:"),
      image,
      {
        type: "resource",
        resource: {
          uri: "test://mixed-content-resource",
          mimeType: "application/json",
          text: '{"test":"data","value":123}',
        },
      },
    ],
  }),
  contentTool({
    name: "test_tool_with_logging",
    description: "Send three log messages during the call.",
    async run({ log }) {
      await log?.("info", "Tool execution started");
      await sleep(50);
      await log?.("info", "Tool processing data");
      await sleep(50);
      await log?.("info", "Tool execution completed");
      return [text("Sent three log messages.")];
    },
  }),
  contentTool({
    name: "test_logging_tool",
    description: "Send one log message during the call.",
    async run({ log }) {
      await log?.("info", "The tool runs");
      return [text("Sent one log message.")];
    },
  }),
  contentTool({
    name: "test_tool_with_progress",
    description: "Report progress in three steps.",
    async run({ progress }) {
      for (const done of [0, 50, 100]) {
        await progress(done, 100);
        await sleep(50);
      }
      return [text("Reported three steps.")];
    },
  }),
  contentTool({
    name: "test_error_handling",
    description: "Fail.",
    run() {
      throw new ToolError("unavailable", "This tool intentionally returns an error for testing");
    },
  }),
];
