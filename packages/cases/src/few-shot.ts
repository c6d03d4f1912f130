import { formatHandle, type HandleMode } from "@toolpacks/relay";

/** Ids of example handles. No result contains them, so a model that copies one breaks a rule. */
const minutes = "mzxw6ytboi2dgmzqgezd";
const ledger = "orsxg5baonuw24dmmuqg";

/** The text of two examples that show a model how to use handles. */
export function fewShotExamples(mode: HandleMode): string {
  const handle = (id: string) => formatHandle(id, mode);
  return `A long result comes as a handle, relay:// and 20 characters, which stands for all of it. Two examples:

User: Get the minutes of week 12 and mail them to Kim.
Call get_minutes {"week": 12}. Result: ${handle(minutes)}
Call send_mail ${JSON.stringify({ to: "Kim", text: mode === "opaque" ? handle(minutes) : JSON.parse(handle(minutes)) })}. Result: sent
Answer: Kim has the minutes of week 12.
The content of the minutes was not asked for, so the handle was passed on and not opened.

User: What did we pay for paper, by the ledger of May?
Call get_ledger {"month": "May"}. Result: ${handle(ledger)}
Call relay_read ${JSON.stringify({ handle: formatHandle(ledger), mode: "grep", pattern: "(?i)paper" })}. Result: 212: paper, 84.20
Answer: You paid 84.20 for paper.
Only the lines that matter were read.

The handles above are examples. Use the handles in the results of your own calls, unchanged.`;
}
