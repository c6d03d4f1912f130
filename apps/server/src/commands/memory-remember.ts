import { definedOnly } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { print } from "../print.ts";
import { callTool, showResult } from "./open-tools.ts";

export interface RememberFlags extends Flags {
  readonly about?: readonly string[];
  readonly tag?: readonly string[];
  readonly source?: string;
  readonly supersedes?: string;
  readonly json?: boolean;
}

/** An observation as `memory_remember` returns it. */
interface Remembered {
  readonly id: string;
  readonly text: string;
  /** Whether the text was known before. */
  readonly merged?: boolean;
  readonly was?: string;
  readonly similar?: readonly { readonly id: string; readonly text: string }[];
}

/** `toolpacks memory remember`: stores a text. */
export async function remember(text: string, flags: RememberFlags): Promise<void> {
  const { about, tag, source, supersedes } = flags;
  const args = definedOnly({ text, about, tags: tag, source, supersedes });
  const result = await callTool<{ readonly items: readonly Remembered[] }>(flags, "memory_remember", args);
  showResult(result, flags, ({ items }) => {
    print(...items.flatMap(renderRemembered));
    if (items.some(({ similar }) => similar !== undefined)) {
      print("to replace a similar text that no longer holds: --supersedes <id>");
    }
  });
}

function renderRemembered({ id, text, merged, was, similar = [] }: Remembered): readonly string[] {
  return [
    `${merged === true ? "known before" : "remembered"} ${id}: ${text}`,
    ...(was === undefined ? [] : [`  it supersedes: ${was}`]),
    ...similar.map((one) => `  similar ${one.id}: ${one.text}`),
  ];
}
