import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  agentOf,
  failure,
  history,
  idleAgent,
  logOf,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import type { WorkPlace } from '../support/places/work-place.ts';

const AS = 'git -c user.name=A -c user.email=a@localhost';
const commit = (file: string, text: string): string =>
  `echo '${text}' > ${file}; git add .; ${AS} commit --quiet -m 'Add ${text}'; echo 'Done: ${text}'`;

/** Review and merge, to be run on every backend whose agents have repositories. */
export function workContract(place: () => WorkPlace): void {
  const ask = (operation: string, input?: Answer): Promise<Answer> => place().ask(operation, input);
  const worker = (name: string, task: string, input: Answer = {}) =>
    idleAgent(ask, name, { role: place().role, task, ...input });
  const next = async (name: string, task: string): Promise<string> => {
    const { task: made } = await ask('start_agent_task', { agent_name: name, task_description: task });
    await waitIdle(ask, name);
    return (made as { id: string }).id;
  };
  const checkpoints = async (name: string, count: number): Promise<Answer[]> =>
    until(
      async () => (await ask('list_checkpoints', { agent_name: name }))['checkpoints'] as Answer[],
      (found) => found.length === count,
    );
  const filesOf = (answer: Answer): Answer[] => answer['files'] as Answer[];
  const atForge = (...args: string[]): string =>
    execFileSync('git', ['-C', place().forge.repository, ...args], { encoding: 'utf8' }).trim();

  describe('the work of an agent', () => {
    it('is shown as a diff: committed or not, of one task, by pages, as a patch that git takes [OP-show_agent_diff, OP-list_checkpoints]', async () => {
      const first = await worker('diffy', commit('one.txt', 'one'));
      const second = await next('diffy', 'echo two > two.txt; echo more >> README.md');
      const [newest, oldest] = await checkpoints('diffy', 2);
      expect(oldest).toMatchObject({ number: 1, files: 1, insertions: 1, deletions: 0, left_out: [] });
      expect(newest).toMatchObject({ number: 2, task_id: second, files: 2 });
      const diff = await ask('show_agent_diff', { agent_name: 'diffy' });
      expect(diff).toMatchObject({
        agent_name: 'diffy',
        branch: 'fleet/diffy',
        uncommitted: true,
        total_files: 3,
        files: [
          { path: 'README.md', status: 'modified', uncommitted: true },
          { path: 'one.txt', status: 'added', uncommitted: false },
          { path: 'two.txt', status: 'added', uncommitted: true },
        ],
        cursor: null,
      });
      expect(first.git?.branch).toBe('fleet/diffy');
      const of = async (input: Answer) =>
        filesOf(await ask('show_agent_diff', { agent_name: 'diffy', ...input })).map(({ path }) => path);
      expect(await of({ task_id: oldest?.['task_id'] })).toEqual(['one.txt']);
      expect(await of({ since: 1 })).toEqual(['README.md', 'two.txt']);
      expect(await of({ paths: 'one.txt' })).toEqual(['one.txt']);
      let cursor: unknown;
      let patch = '';
      do {
        const page = await ask('show_agent_diff', {
          agent_name: 'diffy',
          format: 'patch',
          max_bytes: 1_000,
          ...(cursor === undefined ? {} : { cursor }),
        });
        patch += filesOf(page)
          .map((file) => String(file['patch']))
          .join('');
        cursor = page['cursor'];
      } while (cursor !== null);
      expect(patch).toContain('+++ b/two.txt\n@@ -0,0 +1 @@\n+two\n');
      expect(await failure(ask('show_agent_diff', { agent_name: 'diffy', since: 9 }))).toMatchObject({
        code: 'INVALID_INPUT',
        details: { field: 'since' },
      });
    });

    it('is seen by the agent itself, from inside its task [OP-self-diff]', async () => {
      await worker('selfy', commit('one.txt', 'one'));
      await checkpoints('selfy', 1);
      await next('selfy', 'fleet diff selfy --json; fleet checkpoints selfy --json');
      const lines = (await logOf(ask, 'selfy')).map((row) => String(row['message']));
      const answers = lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line) as Answer);
      expect(answers.find((answer) => 'files' in answer)).toMatchObject({
        agent_name: 'selfy',
        files: [{ path: 'one.txt' }],
      });
      expect(answers.find((answer) => 'checkpoints' in answer)).toMatchObject({
        checkpoints: [{ number: 1 }],
      });
    });

    it('is reviewed: comments know their lines, and become one task [OP-review]', async () => {
      await worker('revi', commit('one.txt', 'first line'));
      const comment = { agent_name: 'revi', path: 'one.txt', line: 1, text: 'Say it shorter' };
      await ask('add_review_comment', comment);
      expect(await ask('list_review_comments', { agent_name: 'revi' })).toMatchObject({
        comments: [{ path: 'one.txt', line: 1, snippet: 'first line', stale: false }],
      });
      await next('revi', `echo other > one.txt; git add .; ${AS} commit --quiet -m other`);
      expect(await ask('list_review_comments', { agent_name: 'revi' })).toMatchObject({
        comments: [{ stale: true }],
      });
      await ask('send_review', { agent_name: 'revi' });
      await waitIdle(ask, 'revi');
      expect(String((await history(ask, 'revi'))[0]?.['message'])).toContain('Say it shorter');
    });

    it('is checked on a clean checkout of its commit [OP-check_agent, OP-show_agent_checks]', async () => {
      await worker('checky', commit('one.txt', 'one'), { spec: 'checks: ["test -f ok.txt"]' });
      const failing = await until(
        () => agentOf(ask, 'checky'),
        ({ checks }) => checks?.state === 'failing',
      );
      expect(failing.checks).toMatchObject({ failed: ['test -f ok.txt'] });
      await next('checky', 'touch ok.txt');
      // Only commits are checked.
      expect(await ask('check_agent', { agent_name: 'checky', again: true })).toMatchObject({
        agent_name: 'checky',
        state: 'failing',
        checks: [{ name: 'test -f ok.txt', state: 'failing', exit_code: 1 }],
      });
      await next('checky', commit('other.txt', 'other'));
      const passing = await ask('check_agent', { agent_name: 'checky' });
      expect(passing).toMatchObject({ state: 'passing', checks: [{ state: 'passing', exit_code: 0 }] });
      expect(await ask('show_agent_checks', { agent_name: 'checky' })).toEqual(passing);
      expect(await failure(ask('check_agent', { agent_name: 'checky', names: ['unknown'] }))).toMatchObject({
        code: 'INVALID_INPUT',
        details: { field: 'names' },
      });
    });

    it('takes newer commits of the base, and a conflict changes nothing [OP-update_agent]', async () => {
      await worker('upi', commit('shared.txt', 'mine'));
      place().commitToBase('fresh.txt', 'fresh\n');
      expect(await ask('update_agent', { agent_name: 'upi' })).toMatchObject({ agent_name: 'upi' });
      await next('upi', 'cat fresh.txt; git log --format=%s -1');
      const said = (await logOf(ask, 'upi')).map((row) => String(row['message']));
      expect(said).toContain('fresh');
      const before = await ask('show_agent_diff', { agent_name: 'upi' });
      expect(filesOf(before).map(({ path }) => path)).toEqual(['shared.txt']);
      place().commitToBase('shared.txt', 'theirs\n');
      const refused = await failure(ask('update_agent', { agent_name: 'upi' }));
      expect(refused).toMatchObject({
        code: 'CONFLICT',
        details: { reason: 'conflicts', paths: ['shared.txt'] },
      });
      expect(await ask('show_agent_diff', { agent_name: 'upi' })).toMatchObject({ head: before['head'] });
      await next('upi', 'echo dirty > dirty.txt');
      expect(await failure(ask('update_agent', { agent_name: 'upi' }))).toMatchObject({
        code: 'CONFLICT',
        details: { reason: 'uncommitted', paths: ['dirty.txt'] },
      });
      await next('upi', 'rm dirty.txt');
      const assigned = await failure(ask('update_agent', { agent_name: 'upi', assign_to_agent: true }));
      expect(assigned).toMatchObject({ code: 'CONFLICT', details: { reason: 'conflicts' } });
      await waitIdle(ask, 'upi');
      expect((await history(ask, 'upi'))[0]).toMatchObject({
        id: assigned.details['task_id'],
        message: expect.stringContaining('shared.txt') as string,
      });
    });

    it('is published: pushed, with a pull request that is updated, and never while the agent works [OP-publish_agent]', async () => {
      const { forge, fleet } = place();
      await worker('publi', commit('one.txt', 'one'));
      const answer = await ask('publish_agent', { agent_name: 'publi' });
      expect(answer).toMatchObject({ pushed: true, pull_request: { status: 'open' } });
      const pull = forge.pulls.find((each) => (each['head'] as Answer)['ref'] === 'fleet/publi');
      expect(pull).toMatchObject({ title: 'Done: one', base: { ref: 'main' } });
      const { head } = await ask('show_agent_diff', { agent_name: 'publi' });
      expect(atForge('rev-parse', 'refs/heads/fleet/publi')).toBe(head);
      expect(await ask('publish_agent', { agent_name: 'publi' })).toMatchObject({ pushed: false });
      // What was pushed may be replaced.
      await next('publi', `${AS} commit --quiet --amend -m 'Add it again'`);
      expect(await ask('publish_agent', { agent_name: 'publi' })).toMatchObject({ pushed: true });
      expect(atForge('log', '-1', '--format=%s', 'refs/heads/fleet/publi')).toBe('Add it again');
      const held = signalFile(fleet, 'go');
      const task_description = `while [ ! -e ${held} ]; do sleep 0.05; done`;
      await ask('start_agent_task', { agent_name: 'publi', task_description });
      for (const operation of ['publish_agent', 'update_agent'])
        expect(await failure(ask(operation, { agent_name: 'publi' }))).toMatchObject({
          code: 'CONFLICT',
          details: { reason: 'busy' },
        });
      writeFileSync(held, '');
      await waitIdle(ask, 'publi');
    });

    it('stays as it is at the remote when a push is refused [OP-publish_agent-refuses]', async () => {
      const { forge } = place();
      await worker('refi', `mkdir -p .github/workflows; ${commit('.github/workflows/ci.yml', 'on: push')}`);
      const publish = (input: Answer = {}) => ask('publish_agent', { agent_name: 'refi', ...input });
      expect(await failure(publish())).toMatchObject({
        code: 'CONFLICT',
        details: { reason: 'workflows_changed', paths: ['.github/workflows/ci.yml'] },
      });
      const hook = join(forge.repository, 'hooks', 'pre-receive');
      writeFileSync(hook, '#!/bin/sh\necho "not today" >&2\nexit 1\n');
      chmodSync(hook, 0o755);
      const rejected = await failure(publish({ allow_workflows: true }));
      expect(rejected).toMatchObject({ code: 'CONFLICT', details: { reason: 'rejected' } });
      expect(rejected.message).toContain('not today');
      rmSync(hook);
      const takes = forge.takes.git;
      forge.takes.git = [];
      const refused = await failure(publish({ allow_workflows: true }));
      expect(refused).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'push_not_allowed' } });
      expect(refused.message).not.toContain(forge.token);
      forge.takes.git = takes;
      expect(atForge('for-each-ref', 'refs/heads/fleet/refi')).toBe('');
      expect(existsSync(hook)).toBe(false);
    });

    it('goes on in a fork from any checkpoint, and stays as it is [OP-fork_agent]', async () => {
      await worker('fory', `${commit('one.txt', 'one')}; echo loose > loose.txt`, { spec: 'some files' });
      await next('fory', commit('two.txt', 'two'));
      await checkpoints('fory', 2);
      const before = await ask('show_agent_diff', { agent_name: 'fory' });
      await ask('fork_agent', {
        agent_name: 'fory',
        checkpoint: 1,
        name: 'forked',
        task: 'ls; cat loose.txt',
      });
      await waitIdle(ask, 'forked');
      const said = (await logOf(ask, 'forked')).map((row) => String(row['message']));
      expect(said).toEqual(expect.arrayContaining(['one.txt', 'loose']));
      expect(said).not.toContain('two.txt');
      expect(await ask('show_agent_diff', { agent_name: 'fory' })).toEqual(before);
      expect((await agentOf(ask, 'forked')).spec).toBe('some files');
      const forked = await ask('show_agent_diff', { agent_name: 'forked' });
      expect(forked).toMatchObject({ branch: 'fleet/forked' });
      expect(filesOf(forked).map(({ path }) => path)).toEqual(['loose.txt', 'one.txt']);
      expect(
        await failure(ask('fork_agent', { agent_name: 'fory', checkpoint: 9, name: 'nothing' })),
      ).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'no_checkpoint' } });
      expect(
        await failure(ask('fork_agent', { agent_name: 'fory', name: 'fory', task: 'true' })),
      ).toMatchObject({
        code: 'CONFLICT',
        details: { reason: 'name_taken' },
      });
      expect(atForge('for-each-ref', 'refs/heads/fleet/nothing', 'refs/heads/fleet/fory')).toBe('');
    });

    it('lands here, or by a pull request: then conflicts and forecasts leave it out [OP-land_agent-coder]', async () => {
      await worker('landy', commit('landed.txt', 'landed'));
      const land = ask('land_agent', { agent_name: 'landy' });
      if (place().lands) {
        expect(await land).toMatchObject({ state: 'landed' });
        return;
      }
      const refused = await failure(land);
      expect(refused).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'not_local' } });
      expect(refused.message).toContain('fleet publish landy');
      const agent_names = ['landy'];
      expect(await ask('list_conflicts', { agent_names })).toMatchObject({
        conflicts: [],
        left_out: ['landy'],
      });
      for (const operation of ['start_forecast', 'show_forecast'])
        expect(await ask(operation, { project: 'Setup' })).toMatchObject({
          state: 'done',
          merged: [],
          left_out: expect.arrayContaining(['landy']) as string[],
        });
    });
  });
}
