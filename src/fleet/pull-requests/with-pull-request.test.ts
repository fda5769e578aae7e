import { expect, it } from 'vitest';
import { fixedFleet } from '../../../test/support/fleets/fixed-fleet.ts';
import type { AgentDetails } from '../../backends/backend.ts';
import type { KnownPullRequest } from '../../store/pull-request-store.ts';
import { withPullRequest } from './with-pull-request.ts';

const URL = 'https://forge.test/team/site/pulls/7';
const KNOWN: KnownPullRequest = {
  url: URL,
  status: 'open',
  check_status: 'passing',
  error: null,
  asked: true,
  fetched_at: 1,
  changed_at: '2026-11-02',
};
const BY_HAND = { url: URL, status: 'draft', check_status: null, error: null } as const;
const SET = {
  fleet_mcp_note: 'a note',
  fleet_mcp_pull_request_status: 'draft',
  fleet_mcp_pull_request_check_status: 'failing',
};

it('what a forge says wins over what was set by hand', () => {
  const agent = withPullRequest(agentWith(BY_HAND), URL, KNOWN);
  expect(agent.pull_request).toEqual({ url: URL, status: 'open', check_status: 'passing', error: null });
  expect(agent.heard_at).toBe('2026-11-02');
  expect(agent.metadata).toEqual({
    fleet_mcp_note: 'a note',
    fleet_mcp_pull_request_url: URL,
    fleet_mcp_pull_request_status: 'open',
    fleet_mcp_pull_request_check_status: 'passing',
  });
});

it('what a forge does not say is not shown, also when it was set by hand', () => {
  const failed = { ...KNOWN, status: null, check_status: null, error: '404' };
  const agent = withPullRequest(agentWith(BY_HAND), URL, failed);
  expect(agent.pull_request).toEqual({ url: URL, status: null, check_status: null, error: '404' });
  expect(agent.metadata).toEqual({ fleet_mcp_note: 'a note', fleet_mcp_pull_request_url: URL });
});

it('what was set by hand stands when the forge was not asked', () => {
  const stranger = { ...KNOWN, asked: false, status: null, error: 'not configured' };
  const agent = withPullRequest(agentWith(BY_HAND), URL, stranger);
  expect(agent.pull_request).toEqual({ ...BY_HAND, error: 'not configured' });
  expect(agent.metadata).toEqual({ ...SET, fleet_mcp_pull_request_url: URL });
});

it('a pull request that was found and not read yet has only its address', () => {
  const agent = withPullRequest(agentWith(null), URL, undefined);
  expect(agent.pull_request).toEqual({ url: URL, status: null, check_status: null, error: null });
  expect(agent).not.toHaveProperty('heard_at');
  expect(agent.metadata).toEqual({ ...SET, fleet_mcp_pull_request_url: URL });
});

it('an agent of a list has no metadata to change', () => {
  const { metadata: _, ...record } = agentWith(null);
  expect(withPullRequest(record, URL, KNOWN)).not.toHaveProperty('metadata');
});

function agentWith(pull_request: AgentDetails['pull_request']): AgentDetails {
  return { ...fixedFleet().backend.addAgent('sony'), pull_request, metadata: SET };
}
