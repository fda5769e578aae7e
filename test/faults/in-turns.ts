/** Does the same to each, a few at a time; the results in the order of what they were made of. */
export async function inTurns<Value, Result>(
  values: readonly Value[],
  jobs: number,
  act: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = [...values.entries()];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const [index, value] = next;
      results[index] = await act(value);
    }
  };
  await Promise.all(Array.from({ length: jobs }, work));
  return results;
}
