import type { Pack } from "@toolpacks/core";

/** A fresh pack, on files or records that belong to it alone. */
export interface PackUnderTest {
  readonly pack: Pack;
  /** Everything the pack may change, as a value to compare: file hashes, records. Tools that do not mutate must leave it. */
  readonly fingerprint?: () => unknown;
  /** Removes what was made for it. */
  readonly dispose?: () => unknown;
}

/** Makes a fresh pack; called many times. A pack that changes nothing may be returned as it is. */
export type CreatePack = () => Pack | PackUnderTest | Promise<Pack | PackUnderTest>;

/** Makes a pack, uses it and disposes of it, whatever happens. */
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
