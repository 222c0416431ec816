/** A sample: the first, the last, and what lies evenly between them. */
export function spread<T>(values: readonly T[], count: number): T[] {
  if (values.length <= count) return [...values];
  const step = (values.length - 1) / (count - 1);
  return Array.from({ length: count }, (_, index) => Math.round(index * step)).flatMap(
    (index) => values[index] ?? [],
  );
}
