import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  logOf,
  signalFile,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { AgentApiStandIn } from '../support/coder/agentapi-stand-in.ts';
import { clientOf } from '../support/coder/real-coder.ts';
import { shapeProblems } from '../support/coder/same-shape.ts';
import { freePort } from '../support/coder/stand-in-workspace.ts';
import { realCoder, realFleet, type RealFleet } from './real-fleet.ts';

let fleet: RealFleet;
const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);
const give = (agent_name: string, task_description: string, input: Answer = {}) =>
  ask('start_agent_task', { agent_name, task_description, ...input });

beforeAll(async () => {
  fleet = await realFleet();
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe.skipIf(!existsSync(realCoder().agentapi_bin))(
  'a real AgentAPI in a workspace of a real Coder server (only where it could be built)',
  () => {
    it('is given tasks one after the other, interrupted and listed, without a runner of ours', async () => {
      const agent = await idleAgent(ask, 'claude-1', { project: 'Claude', task: 'say ready', role: 'coder' });
      expect(agent).toMatchObject({ status: 'idle', project: 'Claude', role: 'coder', spec: 'say ready' });
      expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(['claude-1']);
      const go = signalFile(fleet, 'go-agentapi');
      await give('claude-1', `hold ${go}`);
      expect(await agentOf(ask, 'claude-1')).toMatchObject({ status: 'busy', current_task: `hold ${go}` });
      expect(await failure(give('claude-1', 'say no', { when_busy: 'reject' }))).toMatchObject({
        code: 'CONFLICT',
      });
      await give('claude-1', 'say later', { when_busy: 'queue' });
      writeFileSync(go, '');
      await waitIdle(ask, 'claude-1');
      await give('claude-1', `hold ${signalFile(fleet, 'never')}`);
      expect(await ask('cancel_agent_task', { agent_name: 'claude-1' })).toMatchObject({
        interrupt_sent: true,
      });
      await waitIdle(ask, 'claude-1');
      expect((await history(ask, 'claude-1')).map(({ message, state }) => [message, state])).toEqual([
        [`hold ${signalFile(fleet, 'never')}`, 'canceled'],
        ['say later', 'complete'],
        [`hold ${go}`, 'complete'],
        ['say ready', 'complete'],
      ]);
      const log = (await logOf(ask, 'claude-1')).map(({ message }) => String(message));
      expect(log.some((entry) => entry.includes('later'))).toBe(true);
    });

    it('is answered for by its stand-in in the same words', async () => {
      await idleAgent(ask, 'claude-3', { project: 'Claude', task: 'say ready' });
      const { workspace_id } = await agentOf(ask, 'claude-3');
      const me = await clientOf(fleet.coder).ask('/users/me', z.object({ id: z.string() }));
      const port = await freePort();
      const standIn = new AgentApiStandIn(port, '');
      const real = `${fleet.coder.url}/@${me.id}/${workspace_id}/apps/ccw`;
      const cookie = `coder_path_app_session_token=${fleet.coder.token}`;
      const escape = { method: 'POST', body: JSON.stringify({ type: 'raw', content: '\u001b' }) };
      const busy = { method: 'POST', body: JSON.stringify({ type: 'user', content: 'say too early' }) };
      const hold = { type: 'user', content: `hold ${signalFile(fleet, 'never')}` };
      const steps: [string, RequestInit][] = [
        ['/status', {}],
        ['/messages', {}],
        ['/message', { method: 'POST', body: JSON.stringify(hold) }],
        ['/message', busy],
        ['/status', {}],
        ['/message', escape],
      ];
      for (const [path, init] of steps) {
        const headers = { 'content-type': 'application/json' };
        const ours = await fetch(`http://127.0.0.1:${port}${path}`, { ...init, headers });
        const theirs = await fetch(`${real}${path}`, { ...init, headers: { ...headers, cookie } });
        expect([path, ours.status]).toEqual([path, theirs.status]);
        expect([path, ours.headers.get('content-type')]).toEqual([path, theirs.headers.get('content-type')]);
        expect([path, ...shapeProblems(await ours.json(), await theirs.json())]).toEqual([path]);
      }
      standIn.end();
      await ask('delete_agent', { agent_name: 'claude-3', discard_work: true });
    });

    it('has the fields of its Taskfile over the terminal of its workspace', async () => {
      await idleAgent(ask, 'claude-4', { project: 'Claude', task: 'say ready' });
      const { workspace_id } = await agentOf(ask, 'claude-4');
      writeFileSync(
        join(fleet.coder.workspaces_dir, workspace_id, 'Taskfile.yml'),
        "version: '3'\ntasks:\n  branch: { desc: The branch, cmd: echo topic, meta: { include_in_list: true } }\n",
      );
      // Whether go-task is there is the template's to say: then its value is that of the field.
      const { metadata, metadata_collected_at } = await agentOf(ask, 'claude-4');
      expect(metadata).toMatchObject({
        branch: { schema: { description: 'The branch', include_in_list: true } },
      });
      expect([metadata['branch']?.value, metadata['branch']?.error]).toSatisfy(
        ([value, error]) => value === 'topic' || error === 'it could not be run in the workspace',
      );
      expect(metadata_collected_at).not.toBeNull();
      await ask('delete_agent', { agent_name: 'claude-4', discard_work: true });
    });

    it('keeps its history over a restart, and goes only with its work', async () => {
      await idleAgent(ask, 'claude-2', { project: 'Claude', task: 'say ready' });
      const before = await history(ask, 'claude-2');
      expect(before).toMatchObject([{ message: 'say ready', state: 'complete' }]);
      expect(await ask('stop_agent', { agent_name: 'claude-2' })).toMatchObject({ status: 'stopped' });
      expect(await history(ask, 'claude-2')).toEqual(before);
      await ask('restart_agent', { agent_name: 'claude-2' });
      await waitIdle(ask, 'claude-2');
      await give('claude-2', 'say again');
      await waitIdle(ask, 'claude-2');
      expect((await history(ask, 'claude-2'))[0]).toMatchObject({ message: 'say again', state: 'complete' });
      expect(await failure(ask('delete_agent', { agent_name: 'claude-2' }))).toMatchObject({
        details: { reason: 'work_not_kept' },
      });
      await ask('delete_agent', { agent_name: 'claude-2', discard_work: true });
      expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('claude-2');
    });
  },
);
