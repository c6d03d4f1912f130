import { compileValue } from "@toolpacks/expressions";
import type { FieldValues } from "./field-values.ts";
import { syncFields, type SyncField, type TrackerMapping } from "./tracker-mapping.ts";

type Names = Readonly<Record<string, unknown>>;
type Render<Value = unknown> = (names: Names) => Promise<Value>;

/** A mapping whose expressions are compiled. @throws ToolError for an invalid expression */
export type CompiledMapping = Awaited<ReturnType<typeof compileMapping>>;

export async function compileMapping({ list, get, create, update, item }: TrackerMapping) {
  return {
    list: await compileOperation(list, "list"),
    get: get && (await compileOperation(get, "get")),
    create: create && { ...(await compileWrite(create, "create")), ref: await compileValue(create.ref, "create.ref") },
    update: await Promise.all(update.map((one, at) => compileWrite(one, `update[${at}]`))),
    item: (await compileValue(item, "item")) as Render<Names>,
  };
}

/** Compiles each value of an object. Those named `args` are objects. */
async function compileEach<Source extends object>(source: Source, at: string) {
  const compiled = Object.entries(source)
    .filter(([, value]) => value !== undefined)
    .map(async ([name, value]) => [name, await compileValue(value, `${at}.${name}`)] as const);
  type Compiled = { readonly [Name in keyof Source]: Render<Name extends "args" ? Names : unknown> };
  return Object.fromEntries(await Promise.all(compiled)) as Compiled;
}

async function compileOperation<Source extends { readonly tool: string }>({ tool, ...others }: Source, at: string) {
  return { ...(await compileEach(others, at)), tool };
}

async function compileWrite({ tool, args, fields }: TrackerMapping["update"][number], at: string) {
  const operation = await compileOperation({ tool, args }, at);
  const compiled = await compileEach(fields, `${at}.fields`);
  return {
    tool,
    /** The arguments of a call that writes values, and the fields for which it has some. */
    async argsOf(values: FieldValues, names: Names) {
      const parts: unknown[] = [await operation.args(names)];
      const set: SyncField[] = [];
      for (const field of syncFields) {
        const render = values[field] === undefined ? undefined : compiled[field];
        if (render === undefined) continue;
        parts.push(await render({ ...names, value: values[field] }));
        set.push(field);
      }
      return { set, args: Object.assign({}, ...parts) as object };
    },
  };
}
