/**
 * Maps each row of another API to a row of the listing. If that throws for a row, only its id is left. The article is
 * then requested by itself, and the error is a problem of this article, not of the listing.
 *
 * @param id the name of the field that has the id
 * @throws the error of `toRow()`, if it throws for each of several rows
 */
export function mapRows<Row extends object>(
  rows: readonly Row[],
  toRow: (row: Row) => object,
  id: keyof Row | 'id' = 'id',
): object[] {
  const errors: unknown[] = [];
  const mapped = rows.map((row) => {
    try {
      return toRow(row);
    } catch (error) {
      errors.push(error);
      return { id: Object(row)[id] };
    }
  });
  if (rows.length > 1 && errors.length === rows.length) throw errors[0];
  return mapped;
}
