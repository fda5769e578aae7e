import type { Command } from 'commander';
import type { AgentView } from '../../domain/agent.ts';
import type { Approval } from '../../domain/approvals/approval.ts';
import { approvalSummary } from '../approvals/approval-text.ts';
import { resolveHome } from '../../platform/home.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption } from '../calls/command.ts';
import type { Output, Paint } from '../output/output.ts';
import { printable, printableLine } from '../output/printable.ts';
import { openSession, type Session } from '../calls/run-operation.ts';
import { forPeople } from '../output/for-people.ts';
import { paintStatus } from '../output/status-style.ts';
import { fields } from '../output/table.ts';
import { ago, localTime } from '../output/times.ts';

const SHOWN_LINES = 5;

export function showCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Show one agent in full: status and reason, task, result, spec, metadata, git, pull request.',
    )
    .argument('<name>', 'name of the agent');
  examples(jsonOption(command), [
    ['fleet show sony', 'the state of sony, and the reason for its status'],
    ['fleet show sony --json', 'JSON for a program'],
  ]);
  command.action(async (name: string, options: { readonly json?: boolean }) => {
    await using session = await openSession(cli);
    const answer = await session.call('show_agent', { agent_name: name });
    if (options.json === true) return cli.out.json(answer);
    const pending = await pendingApprovals(cli, session, answer.agent);
    cli.out.write(
      agentText({ agent: answer.agent, pending, home: resolveHome(cli.env) }, Date.now(), cli.out),
    );
  });
}

/** Only a running task can ask; an agent itself may not list approvals. */
async function pendingApprovals(cli: Cli, session: Session, agent: AgentView): Promise<readonly Approval[]> {
  if (agent.status !== 'busy' || cli.insideAgent) return [];
  return (await session.call('list_approvals', { agent_name: agent.name })).approvals;
}

interface Shown {
  readonly agent: AgentView;
  readonly pending: readonly Approval[];
  /** The fleet's home. */
  readonly home: string;
}

/** An agent as a person reads it. Fields without a value are left out. */
export function agentText(
  { agent, pending, home }: Shown,
  now: number,
  { columns, paint }: Pick<Output, 'columns' | 'paint'>,
): string {
  const status = `${paintStatus(agent, agent.status, paint)}: ${printableLine(forPeople(agent.status_reason))}`;
  const pairs: [string, string | null][] = [
    ['name', agent.name],
    ['status', status],
    ['attention', attentionText({ agent, pending, home }, now, paint)],
    ['project', printableLine(agent.project)],
    ['role', printableLine(agent.role)],
    ['current task', agent.current_task],
    ['last task', lastTaskText(agent)],
    [
      'last result',
      agent.last_result === null ? null : lastLines(agent.last_result, `fleet history ${agent.name} --json`),
    ],
    ['queued', agent.queue_length === 0 ? null : String(agent.queue_length)],
    ['spec', agent.spec === agent.current_task || agent.spec === agent.last_task ? null : agent.spec],
    ['read-only', agent.refused_writes.length === 0 ? null : refusedText(agent)],
    ['git', gitText(agent.git, now)],
    ['checks', checksText(agent)],
    ['pull request', pullRequestText(agent.pull_request)],
    ['cost', agent.cost === null ? null : `$${agent.cost.toFixed(2)}`],
    ['tokens', agent.tokens === null ? null : String(agent.tokens)],
    [
      'created',
      `${localTime(agent.created_at, now)} (${ago(agent.created_at, now)} ago) by ${agent.created_by}`,
    ],
    ['changed', `${localTime(agent.updated_at, now)} (${ago(agent.updated_at, now)} ago)`],
    ['workspace', agent.workspace_id],
    ...metadataPairs(agent),
  ];
  const known = pairs.flatMap(([label, value]) =>
    value === null
      ? []
      : [
          [
            printableLine(label),
            label === 'status' || label === 'attention' ? value : printable(value),
          ] as const,
        ],
  );
  return fields(known, { columns, paint });
}

/** A task that did not complete says so, also after it was acknowledged. */
function lastTaskText({ current_task, last_task, last_task_state }: AgentView): string | null {
  if (last_task === null || last_task === current_task) return null;
  const ended = current_task === null && last_task_state !== null && last_task_state !== 'complete';
  return ended ? `${last_task}\n(${last_task_state})` : last_task;
}

/** What a person has to do, and the command for it. */
function attentionText({ agent, pending, home }: Shown, now: number, paint: Paint): string | null {
  const [first, ...more] = pending;
  if (first === undefined) {
    if (agent.attention_reason === null) return null;
    const reason = paint('red', printableLine(forPeople(agent.attention_reason)));
    return `${reason}\nonce you have dealt with it: fleet ack ${agent.name}`;
  }
  const which = more.length === 0 ? agent.name : 'ID';
  return [
    ...pending.map((each) => paint('red', approvalSummary(each, { now, home }))),
    `fleet approvals ${agent.name} shows ${more.length === 0 ? 'it' : 'them'} in full; answer with fleet approve ${which} or fleet deny ${which}`,
  ].join('\n');
}

/** Metadata that somebody set; what the fleet keeps itself is shown in fields of its own. */
function metadataPairs(agent: AgentView): [string, string][] {
  const own = ['agent_name', 'role', 'project', 'agent_spec', 'current_task'].map(
    (key) => `fleet_mcp_${key}`,
  );
  const shorten = (value: string): string => firstLines(value, `fleet meta ${agent.name}`);
  return [
    ...Object.entries(agent.fleet_metadata)
      .filter(([key]) => !own.includes(key))
      .map(([key, value]): [string, string] => [key, shorten(value)]),
    ...taskfilePairs(agent.metadata, shorten),
  ];
}

/** What the agent was refused, and how to allow it. */
function refusedText({ name, refused_writes }: AgentView): string {
  return firstLines(refused_writes.join('\n'), `fleet show ${name} --json`);
}

function firstLines(value: string, whole: string): string {
  const lines = value.split('\n');
  const more = lines.length - SHOWN_LINES;
  if (more <= 1) return value;
  return [...lines.slice(0, SHOWN_LINES), `… and ${more} more lines: ${whole}`].join('\n');
}

/** The end of what an agent said or printed matters most; before it stands why a task did not complete. */
function lastLines(value: string, whole: string): string {
  const lines = value.split('\n');
  const more = lines.length - SHOWN_LINES;
  if (more <= 1) return value;
  const [first = '', ...rest] = lines;
  return [first, `… ${more} more lines: ${whole}`, ...rest.slice(1 - SHOWN_LINES)].join('\n');
}

export function taskfilePairs(
  metadata: AgentView['metadata'],
  shorten: (value: string) => string,
): [string, string][] {
  return Object.entries(metadata).map(([key, { value, error }]) => {
    const said = error === null ? null : `(${error})`;
    const text = value === null && said !== null ? null : shorten(valueText(value));
    return [key, [text, said].filter(Boolean).join(' ')];
  });
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The numbers are from a moment, which is long ago for an agent that sleeps. */
function gitText(git: AgentView['git'], now: number): string | null {
  if (git === null) return null;
  const changes = `${git.changed_files} changed ${git.changed_files === 1 ? 'file' : 'files'} (+${git.insertions} -${git.deletions})${git.dirty ? ', not all committed' : ''}`;
  const base = git.base === null ? '' : `, ${git.ahead} ahead and ${git.behind} behind ${git.base}`;
  const seen = git.as_of === null ? null : `as of ${localTime(git.as_of, now)} (${ago(git.as_of, now)} ago)`;
  return [`${git.branch ?? 'no branch'}${base}; ${changes}`, git.last_commit, seen]
    .filter((line) => line !== null)
    .join('\n');
}

function checksText({ name, checks }: AgentView): string | null {
  if (checks === null) return null;
  if (checks.commit === null) return `not run yet: fleet check ${name} runs them`;
  const of = `of ${checks.commit.slice(0, 12)}`;
  if (checks.state === 'failing')
    return `failing ${of}: ${checks.failed.join(', ')}\nfleet check ${name} shows what they printed`;
  return `${checks.state === 'not_run' ? 'not run' : checks.state} ${of}`;
}

function pullRequestText(pull: AgentView['pull_request']): string | null {
  if (pull === null) return null;
  const parts = [pull.status, pull.check_status === null ? null : `checks ${pull.check_status}`, pull.error];
  return [pull.url, ...parts.filter((part) => part !== null)].join(', ');
}
