import { FleetError } from '../domain/errors.ts';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { createAgent } from '../operations/create-agent.ts';
import { invoke } from '../operations/invoke.ts';
import { startAgentTask } from '../operations/start-agent-task.ts';

const CAST = [
  { name: 'ada', role: 'coder', task: 'Add a median function to stats.js, with tests' },
  { name: 'milo', role: 'coder', task: 'The test of slug() fails: mend it' },
  { name: 'kay', role: 'operator', task: 'Give the project a licence' },
] as const;

/** Three agents at work. Those that are there from an earlier time look around instead. */
export async function stageDemo(fleet: Fleet, caller: Caller): Promise<void> {
  for (const { name, role, task } of CAST) {
    try {
      await invoke(createAgent, { project: 'tiny-kit', name, role, task }, { fleet, caller });
    } catch (thrown) {
      if (!(thrown instanceof FleetError) || thrown.code !== 'CONFLICT') throw thrown;
      await lookAround(fleet, caller, name);
    }
  }
}

async function lookAround(fleet: Fleet, caller: Caller, agent_name: string): Promise<void> {
  try {
    await invoke(
      startAgentTask,
      { agent_name, task_description: 'Look around and run the tests' },
      { fleet, caller },
    );
  } catch (thrown) {
    // Busy, or stopped by somebody: the demo leaves it alone.
    if (!(thrown instanceof FleetError)) throw thrown;
  }
}
