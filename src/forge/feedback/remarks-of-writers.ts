import type { Remark } from '../../domain/review/ci-feedback.ts';
import { ForgeProblem } from '../forge-problem.ts';

/** Remarks of those who may write. Each author is asked for once; one of whom the forge does not say so may not.
 *  @param authorOf what the forge knows an author by */
export async function remarksOfWriters<One extends Remark>(
  remarks: readonly One[],
  authorOf: (remark: One) => string | number,
  mayWrite: (author: string | number) => Promise<boolean>,
): Promise<readonly Remark[]> {
  const writers = new Map<string | number, boolean>();
  const kept: Remark[] = [];
  for (const remark of remarks) {
    const author = authorOf(remark);
    if (!writers.has(author)) writers.set(author, await known(() => mayWrite(author)));
    const { id, author: name, path, line, text } = remark;
    if (writers.get(author) === true) kept.push({ id, author: name, path, line, text });
  }
  return kept;
}

async function known(question: () => Promise<boolean>): Promise<boolean> {
  try {
    return await question();
  } catch (thrown) {
    if (thrown instanceof ForgeProblem && [403, 404].includes(thrown.status ?? 0)) return false;
    throw thrown;
  }
}
