import type { RecordData } from "@toolpacks/core";

/** A record before a write, and the generation of the write. */
export interface RecordVersion {
  readonly workspace: string;
  readonly kind: string;
  readonly id: string;
  /** Null: there was no record. */
  readonly before: { readonly data: RecordData; readonly closed: boolean; readonly generation: number } | null;
  /** 0: the record was deleted. */
  readonly generation: number;
  /** Whether a rule of another record has written it. */
  readonly derived: boolean;
}
