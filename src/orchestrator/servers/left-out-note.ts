import { cut } from '../../domain/values/text.ts';
import type { LeftOut } from './portable-offers.ts';

const WORDS = { tools: 'tool', resources: 'resource', resourceTemplates: 'template', prompts: 'prompt' };
const NAMED = 5;

/** One sentence about what a server lists and clients would refuse; undefined when there is nothing. */
export function leftOutNote(leftOut: readonly LeftOut[]): string | undefined {
  if (leftOut.length === 0) return undefined;
  const named = leftOut.slice(0, NAMED).map((each) => leftOutText(each));
  const more = leftOut.length > NAMED ? `, and ${leftOut.length - NAMED} more` : '';
  return `not offered, because clients would refuse the list: ${named.join(', ')}${more}`;
}

export function leftOutText({ kind, name, reason }: LeftOut): string {
  return `${WORDS[kind]} ${cut(name, 80)} (${reason})`;
}
