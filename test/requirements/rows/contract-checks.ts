import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'AGENT-checks',
    source: 'contract Agent, checks',
    text: 'list_agents and show_agent have the commit, the state and the failed names of the checks of an agent; each start and end of a run is an event of the kind check.',
  },
  {
    id: 'AGENT-checks-attention',
    source: 'contract Agent, needs_attention',
    text: 'An agent that reports done while its checks fail needs attention until they pass, the next task is accepted, or it is acknowledged.',
  },
  {
    id: 'CHECK-committed',
    source: 'contract Review and merge, check_agent',
    text: 'Checks run on a clean checkout of the committed work of an agent; uncommitted work is not part of it.',
  },
  {
    id: 'CHECK-results',
    source: 'contract Words, checks',
    text: 'A check runs once for the same tree, command and set-up, unless it is run again.',
  },
  {
    id: 'CHECK-limit',
    source: 'contract Words, checks',
    text: 'A check that takes longer than its limit has failed, and nothing that it started is left.',
  },
  {
    id: 'CHECK-setup',
    source: 'contract Words, checks',
    text: 'A set-up that fails fails every check, with its reason.',
  },
  {
    id: 'CHECK-sandbox',
    source: 'contract Words, checks',
    text: 'A check cannot read the home of the fleet, nor paths that the role hides, has no variable of the role, and can write only its checkout, its temporary files and the caches of its project.',
  },
  {
    id: 'CHECK-killed',
    source: 'contract Words, checks',
    text: 'A check ends with the runner that runs it, and runs again with the next one.',
  },
  {
    id: 'CHECK-retries',
    source: 'contract fleet.yaml, check_retries',
    text: 'Failing checks become a task of the agent, with the end of their output, at most as often in a row as check_retries says; then a person is asked.',
  },
  {
    id: 'CHECK-retries-once',
    source: 'contract fleet.yaml, check_retries',
    text: 'The same failure of the same commit becomes a task once.',
  },
  {
    id: 'CHECK-operator',
    source: 'contract Agent, checks',
    text: 'The checks of an agent that may not run commands without asking run only when an operator starts them.',
  },
  {
    id: 'CFG-checks',
    source: 'contract fleet.yaml, checks',
    text: 'An agent has the checks that its project and its spec had when it was created or last restarted.',
  },
  {
    id: 'OP-show_agent_checks',
    source: 'contract Review and merge, show_agent_checks',
    text: 'show_agent_checks answers agent_name, commit, state and checks, each with name, state, exit_code, took_ms, output and checked_at.',
  },
  {
    id: 'OP-check_agent',
    source: 'contract Review and merge, check_agent',
    text: 'check_agent runs the checks that have no result for the commit, or those that are named and all of them with again, and answers as show_agent_checks; an offline agent is INVALID_INPUT.',
  },
  {
    id: 'OP-check_agent-goes-on',
    source: 'contract Review and merge, check_agent',
    text: 'Checks go on when the caller that waits for them goes away, and their results are kept.',
  },
  {
    id: 'OP-check_agent-none',
    source: 'contract Review and merge, check_agent',
    text: 'Checks of an agent without any, or by an unknown name, are INVALID_INPUT that names the line of fleet.yaml or the known names.',
  },
  {
    id: 'OP-check_agent-local',
    source: 'contract Review and merge, check_agent',
    text: 'For an agent without a repository, and on a backend that runs no checks, check_agent and show_agent_checks say so, and no check of the agent has a result.',
  },
  {
    id: 'CLI-check',
    source: 'contract Names, friendly forms',
    text: 'fleet check prints each check with its state and what the failing ones printed, and exits 1 when one fails.',
  },
];
