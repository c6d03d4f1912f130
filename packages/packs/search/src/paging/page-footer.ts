interface Footed {
  /** Number of hits that the page shows. */
  readonly shown: number;
  readonly total: number;
  readonly partial?: boolean | undefined;
  readonly cursor?: string | undefined;
}

/** The lines after a page's hits: how many there are, and the cursor. After a single hit there is no cursor, because such a page answers how many. */
export function pageFooter({ shown, total, partial, cursor }: Footed): readonly string[] {
  if (cursor === undefined && shown >= total) return [];
  return [
    `(${shown} of ${partial === true ? "at least " : ""}${total})`,
    ...(cursor !== undefined && shown > 1 ? [`next: cursor ${JSON.stringify(cursor)}`] : []),
  ];
}
