/** Waits until all have ended. When several fail, the reason of the first one in the list is thrown: which of them was quicker
 *  makes no difference. */
export async function allEnded<Works extends readonly Promise<unknown>[] | []>(
  works: Works,
): Promise<{ -readonly [Work in keyof Works]: Awaited<Works[Work]> }> {
  await Promise.allSettled(works);
  for (const work of works) await work;
  return Promise.all(works);
}
