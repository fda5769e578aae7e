import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { failure, history, idleAgent, waitIdle } from '../support/fleets/fleet-under-test.ts';

const it = fleetTest();

const commit = (file: string, text: string): string =>
  `echo '${text}' > ${file}; git add .; git -c user.name=A -c user.email=a@localhost commit --quiet -m '${text}'`;

describe('a review', () => {
  it('is a draft of comments that goes to the agent as one task [OP-review]', async ({ ask }) => {
    await idleAgent(ask, 'author', {
      project: 'DataOne',
      role: 'shell',
      task: commit('text.txt', 'first line'),
    });
    const add = (line: number, text: string) =>
      ask('add_review_comment', { agent_name: 'author', path: 'text.txt', line, text });
    expect(await add(1, ': Say more')).toMatchObject({
      comment: { snippet: 'first line', stale: false, side: 'new' },
    });
    await add(1, ': Twice');
    const wrong = await failure(
      ask('add_review_comment', { agent_name: 'author', path: 'none.txt', line: 1, text: 'x' }),
    );
    expect([wrong.code, wrong.details['field']]).toEqual(['INVALID_INPUT', 'path']);
    await ask('start_agent_task', {
      agent_name: 'author',
      task_description: commit('text.txt', 'other line'),
    });
    await waitIdle(ask, 'author');
    expect(await ask('list_review_comments', { agent_name: 'author' })).toMatchObject({
      total_count: 2,
      comments: [{ text: ': Say more', stale: true }, { text: ': Twice' }],
    });
    await ask('send_review', { agent_name: 'author', message: ': Nearly there' });
    const [task] = await history(ask, 'author');
    expect(task?.['message']).toMatch(/Nearly there\n\ntext\.txt:1\n> first line\n: Say more\n\ntext\.txt:1/);
    expect(await ask('list_review_comments', { agent_name: 'author' })).toMatchObject({ total_count: 0 });
    expect((await failure(ask('send_review', { agent_name: 'author' }))).code).toBe('INVALID_INPUT');
  });
});

describe('a comment of a review', () => {
  it('is on the line that was seen, also in a renamed file and beside a large one', async ({
    fleet,
    ask,
  }) => {
    const repository = join(fleet.directory, 'data-one');
    execFileSync('sh', ['-ec', `seq 20 > before.txt; ${commit('more.txt', String(Date.now()))}`], {
      cwd: repository,
    });
    const task = `git mv before.txt after.txt; sed -i s/^10\\$/ten/ after.txt; seq 200000 > a.txt; ${commit('z.txt', 'z')}`;
    const { agent } = await ask('create_agent', { project: 'DataOne', role: 'shell', task });
    const { name } = agent as AgentView;
    await waitIdle(ask, name);
    const places = [
      { path: 'a.txt', line: 1, snippet: '1' },
      { path: 'after.txt', line: 10, side: 'old', snippet: '10' },
      { path: 'after.txt', line: 10, snippet: 'ten' },
      { path: 'z.txt', line: 1, snippet: 'z' },
    ];
    for (const { snippet, ...place } of places)
      expect(await ask('add_review_comment', { agent_name: name, ...place, text: 'x' })).toMatchObject({
        comment: { snippet, stale: false },
      });
    const { comments } = await ask('list_review_comments', { agent_name: name });
    expect(comments).toMatchObject(places.map((place) => ({ ...place, stale: false })));
  });
});
