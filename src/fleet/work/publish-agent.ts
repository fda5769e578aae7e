import type { AgentRecord, Backend } from '../../backends/backend.ts';
import type { Publishing } from '../../backends/publishing.ts';
import { pullRequestText } from '../../domain/merge/pull-request-text.ts';
import { PULL_REQUEST_URL_KEY } from '../../domain/metadata/metadata.ts';
import type { PullRequest } from '../../domain/metadata/pull-request.ts';
import { actorOf } from '../../domain/principal.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { FleetContext, Making, Waiting } from '../context/fleet-context.ts';
import type { PullRequests } from '../pull-requests/pull-requests.ts';

export interface PublishInput {
  readonly agent_name: string;
  readonly title?: string | undefined;
  readonly body?: string | undefined;
  readonly draft: boolean;
  readonly reviewers: readonly string[];
  readonly labels: readonly string[];
  readonly allow_workflows: boolean;
}

export interface Published {
  readonly name: string;
  /** False when the remote had the newest commit already. */
  readonly pushed: boolean;
  readonly pull_request: PullRequest;
  readonly message: string;
}

/** Tasks whose results the text of a pull request is made of. */
const TASKS_READ = 20;

/** Pushes the branch of an agent to the remote of its project, and opens or updates its pull request. What can be refused is
 *  found before the push. Doing it again updates the same pull request, and finishes one that was interrupted. */
export async function publishAgent(
  { lookup, pullRequests }: FleetContext,
  input: PublishInput,
  { caller, signal, progress }: Making & Waiting,
): Promise<Published> {
  const { backend, agent } = await lookup.host(input.agent_name);
  const publishing = await publishingOf(backend, agent);
  const requests = requestsOf(pullRequests);
  const publisher = await requests.publisher();
  const remote = await publishing.remote(agent);
  if (remote.address === undefined) throw notHosted(remote.name);
  const { forge, repository, login } = publisher.place(remote.address, await requests.forges());
  const { allow_workflows, title, body, draft, reviewers, labels } = input;
  const ready = await publishing.prepare(agent, { remote, login, allow_workflows, signal, progress });
  const { branch, base } = ready;
  // Asked before the push: a token that is refused here leaves everything as it was.
  const existing = await publisher.existing({ forge, repository, branch }, signal);
  const pushed = await ready.push();
  progress(existing === undefined ? 'opening the pull request' : 'updating the pull request');
  const text = await textOf(backend, agent, ready.subject);
  const { url, opened, notes } = await publisher
    .publish(
      {
        forge,
        repository,
        branch,
        existing,
        fresh: { base, draft, title: title ?? text.title, body: body ?? text.body },
        edit: { title, body },
        reviewers,
        labels,
      },
      signal,
    )
    .catch((thrown: unknown) => {
      throw pushed ? afterPush(thrown, `${branch} was pushed to ${remote.name}`) : thrown;
    });
  const pull_request = await requests.note(agent, { branch, url });
  if (agent.pull_request !== null && agent.pull_request.url !== url)
    await backend.runner(agent).setMetadata({ key: PULL_REQUEST_URL_KEY, value: url, by: actorOf(caller) });
  const what = opened ? 'opened' : pushed ? 'updated' : 'has the newest commits already';
  const message = [`Pull request of agent '${agent.name}' ${what}: ${url}`, ...ready.notes, ...notes].join(
    ' ',
  );
  return { name: agent.name, pushed, pull_request, message };
}

async function textOf(backend: Backend, agent: AgentRecord, subject: string) {
  const { rows } = await backend.history(agent, { page: 1, page_size: TASKS_READ });
  return pullRequestText(rows, subject);
}

async function publishingOf(backend: Backend, agent: AgentRecord): Promise<Publishing> {
  const publishing = await backend.publishing?.();
  if (publishing !== undefined) return publishing;
  throw new FleetError(
    'INVALID_INPUT',
    `The repository of agent "${agent.name}" is not on this machine. Ask the agent to push its branch and to open a pull request.`,
    { field: 'agent_name', reason: 'not_local' },
  );
}

function requestsOf(pullRequests: PullRequests | undefined): PullRequests {
  if (pullRequests !== undefined) return pullRequests;
  throw new FleetError('FORBIDDEN', 'An agent cannot publish.', { reason: 'not_for_agents' });
}

function notHosted(remote: string): FleetError {
  return new FleetError(
    'INVALID_INPUT',
    `The remote ${remote} of the project's repository is not at a forge, so it has no pull requests. Use land_agent, or push the branch yourself.`,
    { field: 'agent_name', reason: 'no_forge' },
  );
}

/** The branch is at the remote already: a repeated call goes on from there. */
function afterPush(thrown: unknown, what: string): unknown {
  if (!(thrown instanceof FleetError)) return thrown;
  const { code, message, details } = thrown;
  return new FleetError(
    code,
    `${what}, but it has no pull request yet. ${message}`,
    { ...details, pushed: true },
    thrown,
  );
}
