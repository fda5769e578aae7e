import { createAgent } from '../operations/create-agent.ts';
import type { Operation } from '../operations/operation.ts';

export function successStatus(operation: Operation): 200 | 201 {
  return operation === createAgent ? 201 : 200;
}
