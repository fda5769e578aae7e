import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { until, type Answer, type Ask } from '../support/fleets/fleet-under-test.ts';
import { script, type Step } from '../support/script.ts';

export interface HeldTask {
  readonly id: string;
  readonly message: string;
  release(): void;
}

export interface HoldOptions {
  readonly directory: string;
  readonly agent_name: string;
  readonly input?: Answer;
  readonly before?: readonly Step[];
}

let count = 0;

/** Gives an agent a task that has begun when this answers and goes on until it is released. */
export async function heldTask(ask: Ask, options: HoldOptions): Promise<HeldTask> {
  const { agent_name, directory, input = {}, before = [] } = options;
  const mark = join(directory, `held-${++count}`);
  const message = script(...before, { write: `${mark}-begun` }, { hold: `${mark}-go` });
  const answer = await ask('start_agent_task', { agent_name, task_description: message, ...input });
  await until(async () => existsSync(`${mark}-begun`), Boolean);
  return { id: taskIdOf(answer), message, release: () => writeFileSync(`${mark}-go`, '') };
}

export function taskIdOf(answer: Answer): string {
  return (answer['task'] as { id: string }).id;
}

export async function queueTask(ask: Ask, agent_name: string, task_description: string): Promise<string> {
  return taskIdOf(await ask('start_agent_task', { agent_name, task_description, when_busy: 'queue' }));
}
