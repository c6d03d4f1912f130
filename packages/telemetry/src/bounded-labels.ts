/** The values of one label of a metric. After `max` values, every new one becomes `other`, so that the number of time series is bounded. */
export function boundedLabels(max: number): (value: string) => string {
  const known = new Set<string>();
  return (value) => {
    if (known.size < max) known.add(value);
    return known.has(value) ? value : "other";
  };
}
