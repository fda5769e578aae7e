import type { Subject } from './subject.ts';
import { tasksContract } from './tasks.contract.ts';

/** Every promise of the operations, to be run on each backend and through each door. */
export function contract(subject: Subject): void {
  tasksContract(subject);
}
