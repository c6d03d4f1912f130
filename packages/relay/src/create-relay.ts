import type { CallToolResult } from "@toolpacks/core";
import { boxResult } from "./box/box-parts.ts";
import { Boxer } from "./box/boxer.ts";
import type { ThresholdSettings } from "./box/thresholds.ts";
import type { HandleMode } from "./handle.ts";
import type { RelayReadRequest, RelayReply } from "./relay-read.ts";
import { unbox, type RelayUnboxOptions } from "./unbox.ts";
import type { RelayValues } from "./values/relay-values.ts";

/** Settings that say which results are boxed, and how. */
export interface RelaySettings extends ThresholdSettings {
  /** Default `opaque`. */
  readonly mode?: HandleMode;
  /** Maximum bytes of a value in one answer of `relay_read`. Default 8,000. */
  readonly page?: number;
}

export interface RelayOptions extends RelaySettings {
  readonly values: RelayValues;
}

/** Boxes large values on the way to a model, and resolves their handles on the way back. */
export interface Relay {
  readonly values: RelayValues;
  /** The form of handles in results. */
  readonly mode: HandleMode;
  /**
   * Boxes a result: replaces everything over the threshold by handles. Returns the same object when nothing is.
   *
   * @param keepsStructured whether structured content must stay, because the tool lists an output schema. Then only its large
   *   texts are replaced. Otherwise it is replaced as a whole if it is still large. Default true.
   */
  box(result: CallToolResult, tool: string, keepsStructured?: boolean): Promise<CallToolResult>;
  /**
   * Resolves every handle in arguments, at any depth. Returns the same object when there is none.
   *
   * @throws ToolError `not_found` for a handle that is unknown, expired or malformed, `too_large`
   */
  unbox<Args>(args: Args, options?: RelayUnboxOptions): Promise<Args>;
  /** A part of a value, at most one page: of this many bytes, if it is not the relay's own page. @throws ToolError */
  read(request: RelayReadRequest, signal?: AbortSignal, pageBytes?: number): Promise<RelayReply>;
  /** Creates a boxer for a single result in any form. */
  boxer(tool: string): Boxer;
}

const defaultPage = 8_000;
const defaultMaxUnboxedBytes = 256 * 1024 * 1024;

/** Creates the relay of one scope. Code for reading is loaded at the first read. */
export function createRelay(options: RelayOptions): Relay {
  const { values, mode = "opaque", page = defaultPage } = options;
  const boxer = (tool: string) => new Boxer({ values, mode, settings: options }, tool);
  return {
    values,
    mode,
    boxer,
    box: (result, tool, keepsStructured = true) => boxResult(result, boxer(tool), keepsStructured),
    unbox: (args, unboxOptions = {}) => unbox(args, { values, maxBytes: defaultMaxUnboxedBytes, ...unboxOptions }),
    async read(request, signal, pageBytes = page) {
      const { readValue } = await import("./read/read-value.ts");
      return readValue(request, { values, page: pageBytes, signal });
    },
  };
}
