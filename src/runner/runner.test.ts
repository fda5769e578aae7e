import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BENCH_ACTOR as BY, RunnerBench } from '../../test/support/runner-bench.ts';
import { FleetError, storageError } from '../domain/values/errors.ts';

let bench: RunnerBench;
beforeEach(() => {
  bench = new RunnerBench();
});
afterEach(() => bench[Symbol.asyncDispose]());

let ids = 0;
function task(message: string, when_busy: 'reject' | 'queue' | 'interrupt' = 'reject') {
  return { task_id: `task-${++ids}`, message, when_busy, source: 'human', by: BY } as const;
}

describe('a runner', () => {
  it('takes what its agent says as progress, which keeps it from being stuck [AGENT-stuck-progress]', async () => {
    const runner = await bench.start();
    await runner.accept(task('talk'));
    bench.pass(299_000);
    expect(bench.view().stuck).toBe(false);
    bench.context?.sink.log('INFO', 'output', 'still here');
    runner.details();
    bench.pass(299_000);
    expect(bench.view()).toMatchObject({ status: 'busy', stuck: false });
    bench.context?.sink.progress();
    runner.details();
    bench.pass(299_000);
    expect(bench.view().stuck).toBe(false);
    bench.pass(1_000);
    expect(bench.view()).toMatchObject({ status: 'busy', stuck: true, needs_attention: true });
  });

  it('keeps secrets out of what it keeps of tool calls', async () => {
    const secret = 'a "quoted" secret';
    const runner = await bench.start({ secrets: [secret] });
    await runner.accept(task('call'));
    const call = { id: 'c', tool: 'Bash', title: `echo ${secret}`, tool_kind: null, locations: [] };
    const input = { command: `echo ${secret}` };
    bench.context?.sink.log('INFO', 'tool', call.title, { of: 'call', ...call, input, input_cut: false });
    const { entries } = runner.conversation({ direction: 'older', limit: 10 });
    expect(entries).toContainEqual(
      expect.objectContaining({ kind: 'tool_call', input: { command: 'echo [hidden]' } }),
    );
    expect(JSON.stringify(entries)).not.toContain('quoted');
  });

  it('counts no time that the machine slept [AGENT-stuck-awake-time]', async () => {
    await (await bench.start()).accept(task('sleep'));
    bench.pass(1_000, 86_400_000);
    expect(bench.view().stuck).toBe(false);
    bench.pass(299_000, 0);
    expect(bench.view().stuck).toBe(true);
  });

  it('tells that an agent needs attention when it says so, however long it has worked', async () => {
    const runner = await bench.start();
    await runner.accept(task('work'));
    bench.pass(200_000);
    bench.context?.sink.log('INFO', 'output', 'still here');
    runner.details();
    bench.pass(200_000);
    expect(bench.view().stuck).toBe(false);
    bench.changes.length = 0;
    await runner.report({ report_id: 'r1', message: 'I need a human', uri: null, state: 'failure', by: BY });
    expect(bench.changes.map(({ kind }) => kind)).toEqual(['report', 'attention']);
    expect(bench.changes[1]?.data).toMatchObject({ needs_attention: true });
  });

  it('tells nothing about attention when a long task that was never silent is done', async () => {
    const runner = await bench.start();
    await runner.accept(task('work'));
    bench.pass(200_000);
    bench.context?.sink.log('INFO', 'output', 'still here');
    runner.details();
    bench.pass(200_000);
    bench.changes.length = 0;
    bench.turns[0]?.end();
    await until(() => bench.changes.length > 0);
    expect(bench.changes.map(({ kind }) => kind)).toEqual(['task.ended', 'agent.status']);
  });

  it('runs one task at a time, in order, and each once', async () => {
    const runner = await bench.start();
    const first = task('first');
    await runner.accept(first);
    await runner.accept(task('second', 'queue'));
    await runner.accept(first);
    await expect(runner.accept(task('third'))).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(bench.turns.map(({ message }) => message)).toEqual(['first']);
    bench.turns[0]?.end();
    await ended(1);
    await until(() => bench.turns.length === 2);
    bench.turns[1]?.end();
    await ended(2);
    expect(bench.turns.map(({ message }) => message)).toEqual(['first', 'second']);
    expect(bench.states()).toEqual(['complete', 'complete']);
  });

  it('takes nothing more once it was asked to end, and says so', async () => {
    const runner = await bench.start();
    await runner.accept(task('first'));
    await runner.accept(task('second', 'queue'));
    runner.end('stop', BY);
    await expect(runner.accept(task('third', 'queue'))).rejects.toBeInstanceOf(FleetError);
    await bench.ended();
    expect(bench.states()).toEqual(['queued', 'interrupted']);
    expect(bench.view().status).toBe('stopped');
  });

  it('has itself asked again when it has let go of its journal, whether it knew the task or not', async () => {
    const runner = await bench.start();
    const known = task('first');
    await runner.accept(known);
    runner.end('stop', BY);
    await bench.ended();
    bench.journal[Symbol.dispose]();
    for (const late of [known, task('second')]) {
      await expect(runner.accept(late)).rejects.toMatchObject({ details: { reason: 'runner_leaving' } });
    }
  });

  it('goes on when publishing fails, and publishes later', async () => {
    let deaf = true;
    const heard: string[] = [];
    const runner = await bench.start({
      publisher: {
        published: () => bench.published,
        publish: ({ state }, changes) => {
          if (deaf) throw storageError('state_locked', 'store.db');
          bench.published = state;
          heard.push(...changes.map(({ kind }) => kind));
          return true;
        },
      },
    });
    await runner.accept(task('first'));
    expect(bench.states()).toEqual(['running']);
    deaf = false;
    await until(() => heard.includes('task.started'));
    expect(heard.filter((kind) => kind === 'task.accepted')).toHaveLength(1);
  });

  it('reports a defect in what it tells the fleet, in the log of its agent and on stderr, and goes on', async () => {
    const stderr = vi.spyOn(console, 'error').mockImplementation(() => {});
    const defect = new TypeError('state is not iterable');
    const runner = await bench.start({
      publisher: {
        published: () => undefined,
        publish: () => {
          throw defect;
        },
      },
    });
    await runner.accept(task('first'));
    runner.log({ page: 1, page_size: 10 });
    const lines = bench.journal.log({ page: 1, page_size: 10 }).rows.map(({ message }) => message);
    expect(lines.filter((line) => line.includes(defect.message))).toHaveLength(1);
    expect(stderr).toHaveBeenCalledExactlyOnceWith(defect);
    expect(bench.states()).toEqual(['running']);
    stderr.mockRestore();
  });
});

async function ended(count: number): Promise<void> {
  await until(
    () => bench.states().filter((state) => state !== 'running' && state !== 'queued').length === count,
  );
}

async function until(holds: () => boolean): Promise<void> {
  await expect.poll(holds, { timeout: 30_000, interval: 5 }).toBe(true);
}
