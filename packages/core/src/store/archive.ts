import { z } from "zod";
import { describeIssues } from "../problems.ts";
import { ToolError } from "../tool-error.ts";
import type { DriverTransaction, KindLayout, StoreDriver } from "./driver.ts";
import type { ArchiveLine } from "./store.ts";

const fieldSchema = z.object({ path: z.string(), type: z.enum(["string", "number", "boolean", "strings", "numbers"]) });
const kindName = z.string().regex(/^[a-z][a-z0-9_]{0,39}$/, "expected a kind's name");

const lineSchema = z.union([
  z.object({ kind: kindName, indexes: z.array(z.array(fieldSchema)), text: z.array(z.string()) }),
  z.object({
    kind: kindName,
    workspace: z.string().min(1).max(100),
    id: z.string().min(1).max(200),
    generation: z.int().min(0),
    closed: z.boolean(),
    data: z.record(z.string(), z.unknown()),
  }),
]);

/** Everything in a store as lines of an archive. */
export async function* exportLines(driver: StoreDriver): AsyncGenerator<ArchiveLine> {
  for await (const part of driver.scan()) {
    const { name: kind, indexes, text } = part.kind;
    if ("row" in part) {
      const { workspace, id, generation, closed, data } = part.row;
      yield { kind, workspace, id, generation, closed, data };
    } else {
      yield { kind, indexes, text };
    }
  }
}

/** Writes the lines of an archive. A record whose kind no line before it describes is refused. */
export async function importLines(
  transaction: DriverTransaction,
  lines: AsyncIterable<ArchiveLine> | Iterable<ArchiveLine>,
): Promise<{ records: number }> {
  const base = await transaction.generation();
  const kinds = new Map<string, KindLayout>();
  let records = 0;
  let at = 0;
  for await (const line of lines) {
    at += 1;
    const checked = lineSchema.safeParse(line);
    if (!checked.success)
      throw new ToolError("invalid_input", `line ${at}: ${describeIssues(checked.error.issues, [])}`);
    if ("indexes" in checked.data) {
      const { kind: name, indexes, text } = checked.data;
      kinds.set(name, { name, indexes, text });
      await transaction.prepare({ name, indexes, text });
      continue;
    }
    const { kind: name, workspace, id, closed, data, generation } = checked.data;
    const kind = kinds.get(name);
    if (kind === undefined)
      throw new ToolError("invalid_input", `line ${at}: no line before it describes the kind ${name}`);
    const json = JSON.stringify(data);
    await transaction.write(kind, { workspace, id, closed, json, data, generation: base + generation });
    records += 1;
  }
  return { records };
}
