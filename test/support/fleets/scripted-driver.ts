import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { LastLines } from '../../../src/domain/task-result.ts';
import type { Driver, DriverContext, TaskOutcome } from '../../../src/runner/programs/driver.ts';
import type { Step } from '../script.ts';

/** What a scripted agent may do to itself, as the fleet's own command does inside a program. */
export interface SelfInterface {
  report(message: string, uri: string | null, state: string): Promise<void>;
  queue(text: string): Promise<void>;
  setMetadata(key: string, value: string): Promise<void>;
}

/** A second driver: does the steps of a task in this process, with no program at all. */
export function scriptedDriver(self: (context: DriverContext) => SelfInterface): Driver {
  return {
    kind: 'scripted',
    open: async (context) => ({
      run: async (task, signal) => {
        const last = new LastLines();
        const log: DriverContext['sink']['log'] = (level, type, line, detail) => {
          context.sink.log(level, type, line, detail);
          last.push(line);
        };
        const said = { ...context, sink: { ...context.sink, log } };
        const outcome = await runSteps(task.message, { context: said, self: self(context), signal });
        return { ...outcome, output: last.text };
      },
      [Symbol.asyncDispose]: async () => {},
    }),
  };
}

interface Run {
  readonly context: DriverContext;
  readonly self: SelfInterface;
  readonly signal: AbortSignal;
}

async function runSteps(message: string, run: Run): Promise<TaskOutcome> {
  try {
    for (const step of stepsOf(message)) {
      run.signal.throwIfAborted();
      const exit = await perform(step, run);
      if (exit !== undefined && exit !== 0)
        return { state: 'failed', reason: `the script ended with exit code ${exit}`, exit_code: exit };
    }
    return { state: 'complete', reason: 'the script ended with exit code 0', exit_code: 0 };
  } catch (thrown) {
    return { state: 'failed', reason: thrown instanceof Error ? thrown.message : 'interrupted' };
  }
}

function stepsOf(message: string): readonly Step[] {
  try {
    const steps: unknown = JSON.parse(message);
    if (Array.isArray(steps)) return steps as Step[];
  } catch {
    // Plain words are said back.
  }
  return [{ say: `did: ${message}` }];
}

async function perform(step: Step, { context, self, signal }: Run): Promise<number | undefined> {
  const { sink, launch } = context;
  if ('say' in step) sink.log('INFO', 'output', step.say);
  else if ('complain' in step) sink.log('WARN', 'output', step.complain);
  else if ('write' in step) writeFileSync(step.write, step.content ?? 'written\n');
  else if ('append' in step) appendFileSync(step.append, `${launch.name}\n`);
  else if ('hold' in step) while (!existsSync(step.hold)) await delay(10, undefined, { signal });
  else if ('report' in step) await self.report(step.report, step.uri ?? null, step.state ?? 'working');
  else if ('queue' in step) await self.queue(step.queue);
  else if ('meta' in step) await self.setMetadata(step.meta, step.value);
  else if ('ask' in step) sink.log('INFO', 'output', JSON.stringify(await context.ask(step.ask, signal)));
  else if ('exit' in step) return step.exit;
  return undefined;
}
