import { checksContract } from './checks.contract.ts';
import { createContract } from './create.contract.ts';
import { discoveryContract } from './discovery.contract.ts';
import { conversationContract } from './conversation.contract.ts';
import { historyContract } from './history.contract.ts';
import { lifecycleContract } from './lifecycle.contract.ts';
import { lookingContract } from './looking.contract.ts';
import { metadataContract } from './metadata.contract.ts';
import { namesContract } from './names.contract.ts';
import { publishContract } from './publish.contract.ts';
import type { Subject } from './subject.ts';
import { tasksContract } from './tasks.contract.ts';
import { timelineContract } from './timeline.contract.ts';

/** Every promise of the operations, to be run on each backend and through one interface. */
export function contract(subject: Subject): void {
  discoveryContract(subject);
  createContract(subject);
  namesContract(subject);
  lookingContract(subject);
  tasksContract(subject);
  historyContract(subject);
  conversationContract(subject);
  timelineContract(subject);
  checksContract(subject);
  publishContract(subject);
  metadataContract(subject);
  lifecycleContract(subject);
}
