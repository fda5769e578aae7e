/** An answer without the times at which it was looked, which differ between two looks. */
export function withoutAsOf<Value>(answer: Value): Value {
  return JSON.parse(
    JSON.stringify(answer, (key, value: unknown) => (key === 'as_of' ? undefined : value)),
  ) as Value;
}
