import path from "node:path";

/** A place in a text. Line and column begin with 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** The positions of the keys and list items in a config file. */
export class KeyPositions {
  readonly #positions = new Map<string, Position>();

  /** Adds the position of a key or item. The first position of a path counts. */
  add(at: readonly PropertyKey[], position: Position): void {
    const key = pathKey(at);
    if (!this.#positions.has(key)) this.#positions.set(key, position);
  }

  /** The position of a path, or of its nearest parent. Undefined at the root. */
  find(at: readonly PropertyKey[]): Position | undefined {
    for (let length = at.length; length > 0; length -= 1) {
      const position = this.#positions.get(pathKey(at.slice(0, length)));
      if (position !== undefined) return position;
    }
    return undefined;
  }
}

/** Reads the positions in a valid config file. Only the parser of its format is loaded. */
export async function readKeyPositions(file: string, text: string): Promise<KeyPositions> {
  switch (path.extname(file)) {
    case ".yaml":
    case ".yml":
      return (await import("./yaml-positions.ts")).yamlPositions(text);
    case ".toml":
      return (await import("./toml-positions.ts")).tomlPositions(text);
    default:
      return (await import("./jsonc-positions.ts")).jsoncPositions(text);
  }
}

function pathKey(at: readonly PropertyKey[]): string {
  return JSON.stringify(at.map(String));
}
