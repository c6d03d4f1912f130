const slash = 47;

/** The order in which `--sort=path` walks: component by component, each by its bytes in UTF-8. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at += 1) {
    const [left, right] = [a.charCodeAt(at), b.charCodeAt(at)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}

/** A component that ends goes before one that goes on; a surrogate stands for a character beyond every other unit. */
function rank(unit: number): number {
  if (unit === slash) return -1;
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}
