import type { Prompt, PromptArgument, PromptSource, Store } from "@toolpacks/core";
import { prompt, type PromptRecord } from "./prompt-kind.ts";
import { fillIn, argumentNames } from "./template.ts";

/** Maximum number of prompts that clients list, by name. */
const maxListed = 1_000;

/** The open prompts of a store's workspace, by name. */
export function storedPrompts(store: Store): PromptSource {
  return {
    async list() {
      const { items } = await store.query(prompt, { sort: ["name"], limit: maxListed, skipDamaged: true });
      return items.map(({ data }) => toPrompt(data));
    },
    watch: (listener) => watchPrompts(store, listener),
  };
}

function toPrompt({ name, text, description = name, arguments: described = [] }: PromptRecord): Prompt {
  const argumentOf = (name: string): PromptArgument => {
    const { description, required = true, values } = described.find((one) => one.name === name) ?? {};
    return {
      name,
      required,
      description,
      ...(values !== undefined && { complete: (typed: string) => matching(values, typed) }),
    };
  };
  return {
    name,
    description,
    arguments: argumentNames(text).map(argumentOf),
    text: (values) => fillIn(text, values),
  };
}

/** The values that contain what the user has typed, those that begin with it first. */
function matching(values: readonly string[], typed: string): readonly string[] {
  const wanted = typed.toLowerCase();
  const found = values.filter((value) => value.toLowerCase().includes(wanted));
  const begins = (value: string) => value.toLowerCase().startsWith(wanted);
  return [...found.filter(begins), ...found.filter((value) => !begins(value))];
}

/** Calls back after a write of this or another process that has changed a prompt. */
function watchPrompts(store: Store, listener: () => void): () => void {
  let isStopped = false;
  let checked = Promise.resolve();
  let known: string | undefined;
  const check = async () => {
    const state = await stateOf(store);
    if (isStopped || state === known) return;
    const isFirst = known === undefined;
    known = state;
    if (!isFirst) listener();
  };
  // Where the store fails, the list is read at the next request all the same.
  const next = () => (checked = checked.then(check).catch(() => {}));
  const begin = async () => {
    await next();
    const stop = await store.watch(() => void next());
    // A write may have come between the two.
    await next();
    return stop;
  };
  const watching = begin();
  watching.catch(() => {});
  return () => {
    isStopped = true;
    void watching.then((stop) => stop()).catch(() => {});
  };
}

/** A text that differs after each change of a prompt: a deletion lowers the number, and any other change has a new generation. */
async function stateOf(store: Store): Promise<string> {
  const newest = { includeClosed: true, sort: ["-generation"], limit: 1, fields: [] };
  const { items, total } = await store.query(prompt, newest);
  return `${total} ${items[0]?.generation ?? 0}`;
}
