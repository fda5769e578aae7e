import type { Command } from 'commander';
import type { AgentView } from '../../domain/agent.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption } from '../command.ts';
import type { Paint } from '../output.ts';
import { printable, printableLine } from '../printable.ts';
import { runOperation } from '../run-operation.ts';
import { paintStatus } from '../status-style.ts';
import { fields } from '../table.ts';
import { ago, localTime } from '../times.ts';

const SHOWN_LINES = 5;

export function showCommand(command: Command, cli: Cli): void {
  command
    .description('Show one agent: status with its evidence, task, spec, metadata, git, pull request.')
    .argument('<name>', 'name of the agent');
  examples(jsonOption(command), [
    ['fleet show sony', 'what sony does, and why its status is what it is'],
    ['fleet show sony --json', 'for a program'],
  ]);
  command.action(async (name: string, options: { readonly json?: boolean }) => {
    const answer = await runOperation(cli, 'show_agent', { agent_name: name });
    if (options.json === true) cli.out.json(answer);
    else cli.out.write(agentText(answer.agent, Date.now(), cli.out.paint));
  });
}

/** An agent as a person reads it: what is not there is left out. */
export function agentText(agent: AgentView, now: number, paint: Paint): string {
  const status = `${paintStatus(agent.status, agent.status, paint)}: ${printableLine(agent.status_reason)}`;
  const pairs: [string, string | null][] = [
    ['name', agent.name],
    ['status', status],
    [
      'attention',
      agent.needs_attention
        ? paint('red', `needed; once you have seen to it: fleet ack ${agent.name}`)
        : null,
    ],
    ['project', printableLine(agent.project)],
    ['role', printableLine(agent.role)],
    ['current task', agent.current_task],
    ['last task', agent.current_task === agent.last_task ? null : agent.last_task],
    ['queued', agent.queue_length === 0 ? null : String(agent.queue_length)],
    ['spec', agent.spec === agent.current_task || agent.spec === agent.last_task ? null : agent.spec],
    ['git', gitText(agent.git)],
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
  return fields(known, paint);
}

/** Metadata that somebody set; what the fleet keeps itself is shown in fields of its own. */
function metadataPairs(agent: AgentView): [string, string][] {
  const own = ['agent_name', 'role', 'project', 'agent_spec', 'current_task'].map(
    (key) => `fleet_mcp_${key}`,
  );
  const shorten = (value: string): string => firstLines(value, agent.name);
  return [
    ...Object.entries(agent.fleet_metadata)
      .filter(([key]) => !own.includes(key))
      .map(([key, value]): [string, string] => [key, shorten(value)]),
    ...taskfilePairs(agent.metadata, shorten),
  ];
}

function firstLines(value: string, name: string): string {
  const lines = value.split('\n');
  const more = lines.length - SHOWN_LINES;
  if (more <= 1) return value;
  return [...lines.slice(0, SHOWN_LINES), `… and ${more} more lines: fleet meta ${name}`].join('\n');
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

function gitText(git: AgentView['git']): string | null {
  if (git === null) return null;
  const changes = `${git.changed_files} changed ${git.changed_files === 1 ? 'file' : 'files'} (+${git.insertions} -${git.deletions})${git.dirty ? ', not all committed' : ''}`;
  const base = git.base === null ? '' : `, ${git.ahead} ahead and ${git.behind} behind ${git.base}`;
  return `${git.branch ?? 'no branch'}${base}; ${changes}${git.last_commit === null ? '' : `\n${git.last_commit}`}`;
}

function pullRequestText(pull: AgentView['pull_request']): string | null {
  if (pull === null) return null;
  const parts = [pull.status, pull.check_status === null ? null : `checks ${pull.check_status}`, pull.error];
  return [pull.url, ...parts.filter((part) => part !== null)].join(', ');
}
