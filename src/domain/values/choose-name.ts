import { nameKey } from './agent-name.ts';
import { AGENT_NAMES } from './agent-names.ts';

/** Enough numbers behind each name that many choosers at once rarely meet. */
const LEAST_NUMBERS = 98;

/** A free name by chance; when all are taken, one with a number behind it, such as `kiwi-27`. */
export function chooseName(taken: ReadonlySet<string>, random: () => number = Math.random): string {
  const keys = new Set([...taken].map(nameKey));
  const free = AGENT_NAMES.filter((name) => !keys.has(name));
  return free[below(free.length, random)] ?? numberedName(keys, random);
}

/** Starts anywhere and takes the next free one: there are always more forms than names taken. */
function numberedName(keys: ReadonlySet<string>, random: () => number): string {
  const numbers = Math.max(LEAST_NUMBERS, Math.ceil((4 * keys.size) / AGENT_NAMES.length));
  const forms = numbers * AGENT_NAMES.length;
  const start = below(forms, random);
  for (let index = start; ; index = (index + 1) % forms) {
    const base = AGENT_NAMES[index % AGENT_NAMES.length];
    const name = `${base}-${2 + Math.floor(index / AGENT_NAMES.length)}`;
    if (!keys.has(name)) return name;
  }
}

function below(limit: number, random: () => number): number {
  return Math.min(Math.floor(random() * limit), Math.max(0, limit - 1));
}
