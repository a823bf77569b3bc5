/** What the supplier calls our input fields, by our names. */
export type FieldMap = Readonly<Record<string, string>>;

/**
 * The values by the supplier's names; a field without another name keeps its own. Undefined if two have the same name: the lost
 * one may decide whose account it is.
 */
export function mapFields<Values extends Readonly<Record<string, string>> | null>(
  values: Values,
  names: FieldMap | null,
): Values | Record<string, string> | undefined {
  if (values === null || names === null) return values;
  const mapped = new Map(Object.entries(values).map(([key, value]) => [names[key] ?? key, value]));
  return mapped.size < Object.keys(values).length ? undefined : Object.fromEntries(mapped);
}
