import { isObject, type ListPage } from "@toolpacks/core";
import type { Flags } from "../config/settings.ts";
import { printTable, type Column } from "../print-table.ts";
import { print, printError } from "../print.ts";
import { localTime } from "./local-time.ts";
import { callTool, showResult } from "./open-tools.ts";

/** A workflow as `workflow_list` returns it. */
export interface ListedWorkflow {
  readonly name: string;
  readonly description: string;
  readonly steps: number;
  /** JSON Schema of its input. */
  readonly input?: Readonly<Record<string, unknown>>;
}

/** A waiting run as `workflow_list` returns it. */
interface WaitingRun {
  readonly report: string;
  readonly workflow: string;
  readonly since: string;
  readonly waits: string;
}

type WorkflowPage = ListPage<ListedWorkflow> & { readonly waiting?: readonly WaitingRun[] };

const waitingColumns: readonly Column[] = [
  { title: "waiting run", style: () => "cyan" },
  { title: "workflow" },
  { title: "since" },
  { title: "waits", isText: true },
];

const columns: readonly Column[] = [
  { title: "name", style: () => "cyan" },
  { title: "steps", isOptional: true },
  { title: "input" },
  { title: "description", isText: true },
];

/** `toolpacks workflows list`: lists the configured workflows, and the runs that wait. */
export async function listWorkflows(flags: Flags & { json?: boolean }): Promise<void> {
  const result = await callTool<WorkflowPage>(flags, "workflow_list", {});
  showResult(result, flags, ({ items, hint, waiting = [] }) => {
    if (items.length === 0) return printError(hint ?? "no workflows are configured: add workflows to the config file");
    printTable(
      columns,
      items.map(({ name, steps, input, description }) => [name, steps, describeInput(input), description]),
    );
    if (waiting.length === 0) return;
    print("");
    printTable(
      waitingColumns,
      waiting.map(({ report, workflow, since, waits }) => [report, workflow, localTime(since), waits]),
    );
  });
}

/** Names the fields of an input. A field that may be left out has a `?`. */
function describeInput(schema: ListedWorkflow["input"]): string {
  const fields = isObject(schema?.["properties"]) ? Object.keys(schema["properties"]) : [];
  const required = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  return fields.map((name) => (required.includes(name) ? name : `${name}?`)).join(" ");
}
