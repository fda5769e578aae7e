import { toFleetError } from '../../domain/values/errors.ts';
import { actorOf } from '../../domain/principal.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { terminalUser } from './run-operation.ts';

export interface OwnerChange {
  readonly env: NodeJS.ProcessEnv;
  readonly operation: string;
  /** What was asked for; never a secret. */
  readonly input: Readonly<Record<string, unknown>>;
}

/** Does what only the fleet's owner can, and records it beside the operations: who, what, when, what came of it. */
export async function audited<Result>(
  { ledger }: Pick<OpenedFleet, 'ledger'>,
  { env, ...change }: OwnerChange,
  work: () => Result | Promise<Result>,
): Promise<Result> {
  const call = { ...change, actor: actorOf(terminalUser(env)) };
  try {
    const result = await work();
    ledger.record({ ...call, outcome: 'ok' });
    return result;
  } catch (thrown) {
    ledger.record({ ...call, outcome: toFleetError(thrown).code });
    throw thrown;
  }
}
