import { delimiter, resolve } from 'node:path';
import { LastLines } from '../../domain/task-result.ts';
import { variableText } from '../../domain/values/text.ts';
import type { Driver, DriverContext, TaskOutcome } from './driver.ts';
import { runProgram, type Exit } from './run-program.ts';
import { isProgram } from '../../platform/processes/find-program.ts';

/** Runs any program once for each task: the task is on its stdin and in FLEET_TASK, its lines are the log. */
export const commandDriver: Driver = {
  kind: 'command',
  open: async (context) => {
    checkProgram(context);
    return {
      run: (task, signal) => runTask(context, task.message, signal),
      [Symbol.asyncDispose]: async () => {},
    };
  },
};

/** The program is started with each task; that it can be is part of being ready. */
function checkProgram({ launch, directory, env }: DriverContext): void {
  const [program = ''] = launch.command;
  const found = program.includes('/')
    ? isProgram(resolve(directory, program))
    : (env['PATH'] ?? '').split(delimiter).some((each) => isProgram(resolve(directory, each, program)));
  if (!found)
    throw new Error(`the program ${program} of the role ${launch.role} does not exist or is not executable`);
}

async function runTask(context: DriverContext, message: string, signal: AbortSignal): Promise<TaskOutcome> {
  const { launch, directory, env, cell, sink } = context;
  const last = new LastLines();
  const print = (level: 'INFO' | 'WARN') => (line: string) => {
    sink.log(level, 'output', line);
    last.push(line);
  };
  const exit = await runProgram(
    {
      command: launch.command,
      directory,
      env: { ...env, FLEET_TASK: variableText(message) },
      marker: launch.workspace_id,
      cell,
      stdin: message,
      onOutput: print('INFO'),
      onError: print('WARN'),
    },
    signal,
  );
  return { ...outcomeOf(exit, launch.command), output: last.text };
}

function outcomeOf(exit: Exit, command: readonly string[]): TaskOutcome {
  switch (exit.kind) {
    case 'exited':
      return {
        state: exit.code === 0 ? 'complete' : 'failed',
        reason: `the program ended with exit code ${exit.code}`,
        exit_code: exit.code,
      };
    case 'killed':
      return { state: 'failed', reason: `the program was killed by ${exit.signal}` };
    case 'not_started':
      return {
        state: 'failed',
        reason: `${command[0] ?? 'the program'} could not be started: ${exit.message}`,
      };
  }
}
