import { describe, expect, it } from 'vitest';
import { EMPTY_STATE } from '../../../domain/state.ts';
import { deriveStatus, UNREACHABLE_LIMIT_MS } from '../../../domain/status.ts';
import type { CoderOrigin } from './coder-origin.ts';
import { workspaceSchema, type Workspace } from './workspace-schema.ts';
import { workspaceState, type Known } from './workspace-state.ts';

const BUILT = '2026-01-01T10:00:00Z';
const REPORTED = '2026-01-01T10:00:05Z';
const NOW = Date.parse('2026-01-01T10:01:00Z');

const origin: CoderOrigin = {
  agent_id: 'id',
  project: 'Setup',
  role: 'coder',
  created_at: BUILT,
  created_by: 'user:me',
  source: 'human',
  task_id: 't-1',
  task: 'do it',
  spec: 'do it',
  pull_request_url: null,
  published: {},
};
const known: Known = { origin, summary: null, unhealthy_since: null, failure: null };

interface Shape {
  readonly build?: object;
  readonly agent?: object | null;
  readonly app?: object | null;
}

function workspace({ build = {}, agent = {}, app = null }: Shape): Workspace {
  return workspaceSchema.parse({
    id: '8403bf55-3447-4a42-be79-b22b1af67bfc',
    name: 'sony',
    created_at: BUILT,
    owner_id: 'me',
    owner_name: 'me',
    template_id: 'x',
    template_name: 'setup',
    latest_app_status: app,
    latest_build: {
      id: 'b',
      created_at: BUILT,
      build_number: 1,
      transition: 'start',
      status: 'running',
      initiator_name: 'ann',
      template_version_id: 'v',
      job: { status: 'succeeded' },
      resources:
        agent === null
          ? []
          : [
              {
                agents: [
                  { id: 'a', status: 'connected', lifecycle_state: 'ready', ready_at: REPORTED, ...agent },
                ],
              },
            ],
      ...build,
    },
  });
}

const report = (state: string, uri: string, message = 'do it') => ({
  created_at: REPORTED,
  state,
  message,
  uri,
});
const view = (shape: Shape, more: Partial<Known> = {}, now = NOW) => {
  const instant = { at: now, awake_ms: now, boot: 'here' };
  const { state, observed } = workspaceState(workspace(shape), { ...known, ...more }, instant);
  return deriveStatus(state, observed, instant);
};

describe('the status of a workspace', () => {
  it.each([
    ['pending', 'start', 'pending'],
    ['pending', 'stop', 'stopping'],
    ['pending', 'delete', 'deleting'],
    ['starting', 'start', 'starting'],
    ['stopping', 'stop', 'stopping'],
    ['stopped', 'stop', 'stopped'],
    ['failed', 'start', 'failed'],
    ['canceling', 'start', 'canceling'],
    ['canceled', 'start', 'canceled'],
    ['deleting', 'delete', 'deleting'],
    ['deleted', 'delete', 'deleted'],
  ])('of a build that is %s to %s is %s [ST-coder-build]', (status, transition, expected) => {
    const job = { status: 'x', error: 'terraform broke' };
    const seen = view({ build: { status, transition, job }, agent: null });
    expect(seen.status).toBe(expected);
    expect(seen.status_reason).not.toBe('');
    if (expected === 'failed') expect(seen.status_reason).toContain('terraform broke');
  });

  it('is starting until its agent is ready, and failed 60 s after it was disconnected [ST-coder-starting]', () => {
    for (const agent of [
      { status: 'connecting', lifecycle_state: 'created' },
      { lifecycle_state: 'created' },
      { lifecycle_state: 'starting' },
    ])
      expect(view({ agent, app: report('idle', 'fleet://status/5') }).status).toBe('starting');
    const since = Date.parse(REPORTED);
    const lost = { status: 'disconnected', disconnected_at: REPORTED };
    const shape = { agent: lost, app: report('idle', 'fleet://status/5') };
    expect(view(shape, {}, since + UNREACHABLE_LIMIT_MS - 1).status).toBe('idle');
    expect(view(shape, {}, since + UNREACHABLE_LIMIT_MS)).toMatchObject({
      status: 'failed',
      needs_attention: true,
    });
  });

  it('is starting until its runner reports, and failed when it does not for 60 s', () => {
    const since = Date.parse(REPORTED);
    expect(view({}, {}, since + 1_000).status).toBe('starting');
    expect(view({}, {}, since + UNREACHABLE_LIMIT_MS).status).toBe('failed');
    expect(view({ agent: { lifecycle_state: 'start_error' } }).status).toBe('failed');
    const never = { status: 'timeout', lifecycle_state: 'created' };
    const health = { healthy: false, reason: 'agent is taking too long to connect' };
    expect(view({ agent: never }).status).toBe('failed');
    expect(view({ agent: { ...never, health } })).toMatchObject({
      status: 'failed',
      status_reason: expect.stringContaining(health.reason),
    });
  });

  it('takes no report from before the newest start', () => {
    const old = { ...report('working', 'fleet://status/5'), created_at: '2026-01-01T09:59:59Z' };
    expect(view({ app: old }, {}, Date.parse(REPORTED)).status).toBe('starting');
  });

  it('is what its runner reported, unless the copy of its journal is newer', () => {
    const working = report('working', 'fleet://status/5');
    expect(view({ app: working })).toMatchObject({ status: 'busy', current_task: 'do it' });
    expect(view({ app: report('idle', 'fleet://status/5') })).toMatchObject({
      status: 'idle',
      current_task: null,
    });
    const summary = {
      state: { ...EMPTY_STATE, seq: 7, phase: 'ready' as const, last_task: 'later' },
      progress: null,
      git: null,
      pull_request: null,
      listed: { count: 0, collected_at: null, changed_at: null, values: {} },
    };
    expect(view({ app: working }, { summary }).status).toBe('idle');
    expect(view({ app: report('working', 'fleet://status/8') }, { summary }).status).toBe('busy');
  });

  it('needs attention, or is failed, when the runner says so', () => {
    expect(view({ app: report('failure', 'fleet://status/5?attention') })).toMatchObject({
      status: 'idle',
      needs_attention: true,
    });
    const failed = view({ app: report('failure', 'fleet://status/0?failed&attention', 'no storage') });
    expect(failed).toMatchObject({ status: 'failed', status_reason: 'no storage', needs_attention: true });
  });

  it('has no sign of life of its own, and is stuck only when the runner says so', () => {
    const day = NOW + 86_400_000;
    const summary = {
      state: { ...EMPTY_STATE, seq: 4, phase: 'ready' as const },
      progress: { at: Date.parse(REPORTED), awake_ms: 0, boot: 'there' },
      git: null,
      pull_request: null,
      listed: { count: 0, collected_at: null, changed_at: null, values: {} },
    };
    expect(view({ app: report('working', 'fleet://status/5') }, { summary }, day).stuck).toBe(false);
    expect(view({ app: report('working', 'fleet://status/5?stuck&attention') }, { summary }, day).stuck).toBe(
      true,
    );
  });

  it('is failed when its app has been unhealthy for 60 s', () => {
    const app = report('idle', 'fleet://status/5');
    expect(view({ app }, { unhealthy_since: NOW - 1_000 }).status).toBe('idle');
    expect(view({ app }, { unhealthy_since: NOW - UNREACHABLE_LIMIT_MS }).status).toBe('failed');
  });
});
