import type { ToolFlags, ToolProgram } from "@toolpacks/tool-commands";
import type { Flags } from "../config/settings.ts";
import { bundledPacks } from "../mount/bundled-packs.ts";
import { createRuntime } from "../mount/runtime.ts";
import { hintAtDefault } from "./hint-at-default.ts";
import { program } from "./commands.ts";
import { jsonFlag, mountFlags, urlFlag } from "./flags.ts";

/** The commands of the tools of this server. */
export const toolProgram: ToolProgram = {
  program,
  mountFlags,
  callFlags: [jsonFlag, urlFlag],
  packs: bundledPacks,
  variables: "TOOLPACKS",
  async mount(io, flags: ToolFlags & Flags, isSilent) {
    const selected = isSilent ? ({ ...flags, logLevel: "silent" } as const) : flags;
    const runtime = await createRuntime(selected, { io, quiet: "error" });
    const { surface, mounting, finish } = runtime;
    const beforeFirstCall = () => hintAtDefault(io, runtime);
    return { surface, packs: mounting.packs, servers: mounting.upstreams, beforeFirstCall, finish };
  },
};
