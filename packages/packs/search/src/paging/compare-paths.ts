const slash = 47;

/** Compares paths in ripgrep's order for `--sort=path`: component by component, by their UTF-8 bytes. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** The sort rank of a UTF-16 unit. The slash sorts first, so that a shorter component does. Surrogates sort last, as in UTF-8. */
function rank(unit: number): number {
  if (unit === slash) return -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
