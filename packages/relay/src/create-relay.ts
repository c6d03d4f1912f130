import type { CallToolResult } from "@toolpacks/core";
import { boxResult } from "./box/box-result.ts";
import { createBoxer, type Boxer } from "./box/boxer.ts";
import { thresholdsOf, type ThresholdSettings } from "./box/thresholds.ts";
import type { HandleMode } from "./handle.ts";
import type { RelayReadRequest, RelayReply } from "./relay-read-request.ts";
import { unbox, type RelayUnboxOptions } from "./unbox.ts";
import type { RelayValues } from "./values/relay-values.ts";

/** Which results are kept apart, and how they are shown. */
export interface RelaySettings extends ThresholdSettings {
  /** Default `opaque`. */
  readonly mode?: HandleMode;
  /** The most bytes of a value that one reading answers. Default 8,000. */
  readonly page?: number;
}

export interface RelayOptions extends RelaySettings {
  readonly values: RelayValues;
}

/** Large values on their way between a server and a model: kept apart on the way out, put in again on the way back. */
export interface Relay {
  readonly values: RelayValues;
  /** How a handle stands in a result. */
  readonly mode: HandleMode;
  /**
   * A result with everything over the threshold replaced by handles; the same object when there is nothing.
   *
   * @param keepsStructured whether structured content must stay, because the tool lists an output schema. Default true: then only its large
   *   texts are replaced, and otherwise all of it where the rest is large too.
   */
  box(result: CallToolResult, tool: string, keepsStructured?: boolean): Promise<CallToolResult>;
  /**
   * Arguments with every handle in place of a value replaced, at any depth; the same object when there is none.
   *
   * @throws ToolError `not_found` for one that is unknown, expired or malformed, `too_large`
   */
  unbox<Args>(args: Args, options?: RelayUnboxOptions): Promise<Args>;
  /** A part of a value, never more than a page. Throws a ToolError. */
  read(request: RelayReadRequest, signal?: AbortSignal): Promise<RelayReply>;
  /** For a single result in whatever form. */
  boxer(tool: string): Boxer;
}

const defaultPage = 8_000;
const defaultMostUnboxed = 256 * 1024 * 1024;

/** Creates the relay of one scope. What reading needs is loaded at the first reading. */
export function createRelay(options: RelayOptions): Relay {
  const { values, mode = "opaque", page = defaultPage } = options;
  const thresholds = thresholdsOf(options);
  const boxer = (tool: string) => createBoxer({ values, mode, thresholds }, tool);
  return {
    values,
    mode,
    boxer,
    box: (result, tool, keepsStructured = true) => boxResult(result, boxer(tool), keepsStructured),
    unbox: (args, given = {}) => unbox(args, { values, maxBytes: defaultMostUnboxed, ...given }),
    async read(request, signal) {
      const { readValue } = await import("./read/read-value.ts");
      return readValue(request, { values, page, ...(signal && { signal }) });
    },
  };
}
