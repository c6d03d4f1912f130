/** Maximum length of a message that is read. The stored part of it is far shorter. */
const maxReadLength = 200_000;

/** What a person wrote in a message: without the texts that a client adds for the model. Empty if the client wrote all of it. */
export function personalText(message: string): string {
  const text = withoutElements(message.slice(0, maxReadLength), "system-reminder").trim();
  const command = elementText(text, "command-name");
  if (command !== undefined && text.startsWith("<command-"))
    return `${command} ${elementText(text, "command-args") ?? ""}`.trim();
  const shell = text.startsWith("<bash-input>") ? elementText(text, "bash-input") : undefined;
  if (shell !== undefined) return `! ${shell}`;
  return isInjected(text) ? "" : text;
}

const injectedBeginning =
  /^(?:\[Request interrupted by user|Caveat: The messages below were generated|# AGENTS\.md instructions|<(?:bash-std(?:out|err)|local-command-[a-z]+)>)/;

/** Whether a text is one that clients write in the name of the user: a known beginning, or one element such as `<environment_context>`. */
function isInjected(text: string): boolean {
  if (injectedBeginning.test(text)) return true;
  const tag = /^<([a-z][a-z_-]{2,60})[ >]/.exec(text)?.[1];
  return tag !== undefined && text.endsWith(`</${tag}>`);
}

function elementText(text: string, tag: string): string | undefined {
  const start = text.indexOf(`<${tag}>`);
  const end = start < 0 ? -1 : text.indexOf(`</${tag}>`, start);
  return end < 0 ? undefined : text.slice(start + tag.length + 2, end).trim();
}

/** Removes all elements with this tag. An element without an end is removed up to the end of the text. */
function withoutElements(text: string, tag: string): string {
  const [open, close] = [`<${tag}>`, `</${tag}>`];
  const kept: string[] = [];
  for (let from = 0; ;) {
    const start = text.indexOf(open, from);
    if (start < 0) return [...kept, text.slice(from)].join("");
    kept.push(text.slice(from, start));
    const end = text.indexOf(close, start);
    if (end < 0) return kept.join("");
    from = end + close.length;
  }
}
