import type { OtherCommands } from "@toolpacks/command-line";
import { completeTool } from "./complete-tool.ts";
import { runTool } from "./run-tool.ts";
import type { ToolProgram } from "./tool-program.ts";

/** The commands of the tools of a program. */
export function toolCommands(tools: ToolProgram): OtherCommands {
  return {
    run: (io, words) => runTool(io, tools, words),
    complete: (io, before, current) => completeTool(io, tools, { before, current }),
  };
}
