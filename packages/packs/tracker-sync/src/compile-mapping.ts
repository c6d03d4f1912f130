import { compileValue } from "@toolpacks/expressions";
import { syncFields, type SyncField, type TrackerMapping } from "./tracker-mapping.ts";
import type { FieldValues } from "./field-values.ts";

type Render = Awaited<ReturnType<typeof compileValue>>;

/** A tool that writes fields of an issue. */
export interface CompiledWrite {
  readonly tool: string;
  /** The arguments of a call, and the fields for which it has some. */
  readonly argsOf: (
    values: FieldValues,
    names: Readonly<Record<string, unknown>>,
  ) => Promise<{ readonly args: object; readonly set: readonly SyncField[] }>;
}

/** A mapping whose expressions are compiled. @throws ToolError for an invalid expression */
export type CompiledMapping = Awaited<ReturnType<typeof compileMapping>>;

export async function compileMapping({ list, get, create, update, item }: TrackerMapping) {
  return {
    list: {
      tool: list.tool,
      args: await compileArgs(list.args, "list.args"),
      items: await compileValue(list.items, "list.items"),
      next: list.next === undefined ? undefined : await compileValue(list.next, "list.next"),
    },
    get: get && {
      tool: get.tool,
      args: await compileArgs(get.args, "get.args"),
      item: await compileValue(get.item, "get.item"),
    },
    create: create && { ...(await compileWrite(create, "create")), ref: await compileValue(create.ref, "create.ref") },
    update: await Promise.all(update.map((one, at) => compileWrite(one, `update[${at}]`))),
    item: await compileArgs(item, "item"),
  };
}

/** Compiles an object, whose value is an object. */
async function compileArgs(args: Readonly<Record<string, unknown>>, at: string) {
  return (await compileValue(args, at)) as (
    values: Readonly<Record<string, unknown>>,
  ) => Promise<Readonly<Record<string, unknown>>>;
}

async function compileWrite(
  { tool, args, fields }: TrackerMapping["update"][number],
  at: string,
): Promise<CompiledWrite> {
  const common = await compileArgs(args, `${at}.args`);
  const compiled = new Map<SyncField, Render>();
  for (const field of syncFields) {
    const template = fields[field];
    if (template !== undefined) compiled.set(field, await compileValue(template, `${at}.fields.${field}`));
  }
  return {
    tool,
    async argsOf(values, names) {
      const set = [...compiled.keys()].filter((field) => values[field] !== undefined);
      const parts: unknown[] = [await common(names)];
      for (const field of set) parts.push(await compiled.get(field)?.({ ...names, value: values[field] }));
      return { set, args: Object.assign({}, ...parts) as object };
    },
  };
}
