import { createHmac, randomBytes } from "node:crypto";
import { clipRange, createMeasure, type ValueInfo } from "@toolpacks/store";
import { checkSize, createLimits, valueNotFound, overdue } from "./limits.ts";
import { plainType } from "./plain-type.ts";
import type { RelayLimits, RelayValues } from "./relay-values.ts";
import { contentId } from "./content-id.ts";

interface Kept {
  readonly scope: string;
  readonly info: ValueInfo;
  readonly bytes: Uint8Array;
  readonly size: number;
  readonly at: number;
}

/** Stores values in this process's memory, as one scope. `maxBytes` defaults to 256 MiB. */
export function memoryValues(options: RelayLimits = {}): RelayValues {
  return memoryScopes(options)("");
}

/** Stores values of several scopes in memory. The limits apply to all scopes together. */
export function memoryScopes(options: RelayLimits): (scope: string) => RelayValues {
  const secret = randomBytes(32);
  const limits = createLimits(options);
  /** Values of all scopes, oldest first. */
  const values = new Map<string, Kept>();

  const sweep = async () => {
    for (const { info } of overdue([...values.values()].reverse(), limits)) values.delete(info.id);
  };
  return (scope) => {
    const key = createHmac("sha256", secret).update(scope).digest();
    const find = (id: string) => {
      const kept = values.get(id);
      return kept?.scope === scope && kept.at >= Date.now() - limits.maxAgeMs ? kept : undefined;
    };
    return {
      sweep,
      async put({ data, text, ...input }) {
        const mimeType = plainType(input.mimeType, text);
        const bytes = typeof data === "string" ? Buffer.from(data) : data;
        checkSize(bytes.length, limits);
        const id = contentId(key, bytes, { mimeType, text });
        const known = values.get(id);
        const info = known?.info ?? describe({ id, mimeType, text }, bytes);
        values.delete(id);
        values.set(id, { scope, info, bytes: known?.bytes ?? bytes, size: bytes.length, at: Date.now() });
        if (limits.isSweepDue(bytes.length)) await sweep();
        return info;
      },
      async info(id) {
        return find(id)?.info;
      },
      async *read(id, range = {}) {
        const kept = find(id);
        if (kept === undefined) throw valueNotFound(id);
        const { start, end } = clipRange(range, kept.size);
        yield kept.bytes.subarray(start, end);
      },
    };
  };
}

function describe(known: Pick<ValueInfo, "id" | "mimeType" | "text">, bytes: Uint8Array): ValueInfo {
  const measure = createMeasure(known.text);
  measure.add(bytes);
  const { size, characters, lines } = measure;
  return { ...known, size, characters, lines };
}
