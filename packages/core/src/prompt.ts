/** A field that a person fills in before a prompt is used. Values are text, as the protocol has them. */
export interface PromptArgument {
  readonly name: string;
  readonly description?: string;
  readonly required?: boolean;
}

/** What a client shows a person to choose from, and what is said to the model when it is chosen. */
export interface Prompt {
  readonly name: string;
  readonly description: string;
  /** The tool that it leads to: where that cannot be called, the prompt is not shown. */
  readonly tool: string;
  readonly arguments: readonly PromptArgument[];
  text(args: Readonly<Record<string, string>>): string;
}
