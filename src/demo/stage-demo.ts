import { FleetError } from '../domain/values/errors.ts';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { createAgent } from '../operations/create-agent.ts';
import { invoke } from '../operations/invoke.ts';
import { startAgentTask } from '../operations/start-agent-task.ts';

const CAST = [
  {
    name: 'ada',
    role: 'coder',
    task: 'Add a median function to stats.js, with tests',
    again: 'Look around and run the tests',
  },
  {
    name: 'milo',
    role: 'coder',
    task: 'The test of slug() fails: fix it',
    again: 'Look around and run the tests',
  },
  {
    name: 'iris',
    role: 'coder',
    task: 'Add a sum function to stats.js, with a test',
    again: 'Look around and run the tests',
  },
  { name: 'kay', role: 'operator', task: 'Give the project a licence', again: 'Give the project a licence' },
] as const;

/** Four agents at work, two of them on the same lines. Those that are there from an earlier time get something to do. */
export async function stageDemo(fleet: Fleet, caller: Caller): Promise<void> {
  for (const { name, role, task, again } of CAST) {
    try {
      await invoke(createAgent, { project: 'tiny-kit', name, role, task }, { fleet, caller });
    } catch (thrown) {
      if (!(thrown instanceof FleetError) || thrown.code !== 'CONFLICT') throw thrown;
      await giveTask(fleet, caller, { agent_name: name, task_description: again });
    }
  }
}

async function giveTask(fleet: Fleet, caller: Caller, input: object): Promise<void> {
  try {
    await invoke(startAgentTask, input, { fleet, caller });
  } catch (thrown) {
    // Busy, or stopped by somebody: the demo leaves it alone.
    if (!(thrown instanceof FleetError)) throw thrown;
  }
}
