import { createModels, type Limit, type ModelList, type ModelState } from "@toolpacks/models";
import { readSettings } from "../config/read-settings.ts";
import type { Flags } from "../config/settings.ts";
import { type Io, printTable, type Column, printError, printJson } from "@toolpacks/terminal";
import { modelsOptions } from "../models.ts";
import { openStore, storeExists } from "../stores/open-store.ts";

export type ModelsFlags = Flags & { readonly check?: boolean; readonly json?: boolean };

const columns: readonly Column[] = [
  { title: "model", style: () => "cyan" },
  { title: "state", style: (cell) => (cell === "ready" || cell === "responds" ? "green" : "yellow") },
  { title: "at" },
  { title: "tasks" },
  { title: "window", isOptional: true },
  { title: "price" },
  { title: "today" },
  { title: "this month" },
];

/** `toolpacks models`: lists the models with their state, price and use. */
export async function listModels(io: Io, flags: ModelsFlags): Promise<void> {
  const settings = await readSettings(io, flags);
  // A missing store is not created: nothing was used.
  const store = storeExists(settings.store) ? await openStore(settings, { registersFolder: false }) : undefined;
  try {
    const list = await createModels(modelsOptions(settings, { store })).list({ check: flags.check === true });
    const { models } = list;
    if (flags.json === true) return printJson(io, list, 2);
    if (models.length === 0) {
      return printError(io, "no models are configured: add models to the config file, or set $TOOLPACKS_MODEL_URL");
    }
    printTable(io, { columns, rows: [...models.map(rowOf), sumRow(list)] });
  } finally {
    await store?.end();
  }
}

function rowOf(state: ModelState) {
  const { name, kind, host, model, key, price, window, tasks, use, budget } = state;
  const missing = key?.isSet === false ? `$${key.variable} is missing` : undefined;
  const ready = kind === "sampling" ? "asks the client" : "ready";
  return [
    name,
    state.check ?? missing ?? state.problem ?? ready,
    host === undefined ? "" : `${model} at ${host}`,
    tasks.join(" "),
    window,
    price === undefined ? "" : `${price.input} / ${price.output}`,
    usage(use.day, budget.day),
    usage(use.month, budget.month),
  ];
}

/** The use of all models together, against their common budget. */
function sumRow({ use, budget }: ModelList) {
  return ["all", "", "", "", undefined, "", usage(use.day, budget.day), usage(use.month, budget.month)];
}

/** `1,200 of 5,000 tokens, 0.04 of 2`. */
function usage({ tokens, money }: { readonly tokens: number; readonly money: number }, limit: Limit = {}): string {
  const of = (value: number | undefined) => (value === undefined ? "" : ` of ${value.toLocaleString("en")}`);
  const spent = money.toLocaleString("en", { maximumFractionDigits: 6 });
  const hasMoney = money > 0 || limit.money !== undefined;
  return `${tokens.toLocaleString("en")}${of(limit.tokens)} tokens${hasMoney ? `, ${spent}${of(limit.money)}` : ""}`;
}
