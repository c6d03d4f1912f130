import type { Pack } from "@toolpacks/core";

/** A new pack with its own files and records. */
export interface PackUnderTest {
  readonly pack: Pack;
  /** Returns everything that the pack can change, as a value to compare: file hashes, records. Tools with `mutates: false` must not change it. */
  readonly fingerprint?: () => unknown;
  /** Removes the data of the pack. */
  readonly dispose?: () => unknown;
}

/** Creates a new pack. It is called many times. A pack without mutating tools may be returned directly. */
export type CreatePack = () => Pack | PackUnderTest | Promise<Pack | PackUnderTest>;

/** Creates a pack, uses it, and disposes of it also after an error. */
export async function withPack<Result>(
  create: CreatePack,
  use: (subject: PackUnderTest) => Promise<Result>,
): Promise<Result> {
  const made = await create();
  const subject: PackUnderTest = "registerWith" in made ? { pack: made } : made;
  try {
    return await use(subject);
  } finally {
    await subject.dispose?.();
  }
}
