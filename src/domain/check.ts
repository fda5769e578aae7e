import { toFleetError } from './values/errors.ts';

/** What `fleet doctor` found about one thing. */
export interface Check {
  readonly name: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly message: string;
  /** What to do about it. */
  readonly fix?: string;
}

export type Finding = Omit<Check, 'name'>;

/** A check that throws has failed, and does not prevent the others. */
export function checked(name: string, look: () => Finding): Check {
  try {
    return { name, ...look() };
  } catch (thrown) {
    return failedCheck(name, thrown);
  }
}

export async function checkedAsync(name: string, look: () => Promise<Finding>): Promise<Check> {
  try {
    return { name, ...(await look()) };
  } catch (thrown) {
    return failedCheck(name, thrown);
  }
}

export function failedCheck(name: string, thrown: unknown): Check {
  const { code, message } = toFleetError(thrown);
  const own = thrown instanceof Error ? thrown.message : String(thrown);
  return { name, state: 'fail', message: code === 'INTERNAL_ERROR' ? own : message };
}
