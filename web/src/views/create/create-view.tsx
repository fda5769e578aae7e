import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { nameKey } from '../../../../src/domain/values/agent-name.ts';
import { chooseName } from '../../../../src/domain/values/choose-name.ts';
import { ApiError, messageOf } from '../../api/api-error.ts';
import { fleet } from '../../api/live.ts';
import { useObservable } from '../../api/observable.ts';
import { useAction } from '../../api/use-action.ts';
import { useQuery } from '../../api/use-query.ts';
import { useMay } from '../../parts/button.tsx';
import { useDraftFields } from '../../api/drafts.ts';
import { Field } from '../../parts/field.tsx';
import { Empty, Loaded } from '../../parts/states.tsx';
import { go } from '../../router.tsx';
import { emptySpec, specText } from './spec-text.ts';
import { SpecFields } from './spec-fields.tsx';

const START = ['base', 'branch', 'pull_request_url'] as const;

const EMPTY = {
  project: '',
  name: '',
  role: '',
  task: '',
  base: '',
  branch: '',
  pull_request_url: '',
  count: '1',
  ...emptySpec,
};

/** Creates an agent, or several that race. */
export function CreateView(): JSX.Element {
  const projects = useQuery('list_agent_projects', {});
  if (!useMay('create_agent'))
    return <Empty title="You may not create agents: the token has no scope operate." />;
  return (
    <>
      <h1>New agent</h1>
      <Loaded query={projects} what="the projects">
        {(answer) =>
          answer.projects.length === 0 ? (
            <Empty title="No project is configured">
              <p>In a terminal, in a git repository:</p>
              <pre>
                <code>fleet init</code>
              </pre>
            </Empty>
          ) : (
            <CreateForm projects={answer.projects} />
          )
        }
      </Loaded>
    </>
  );
}

function CreateForm({
  projects,
}: {
  projects: readonly { readonly name: string; readonly description: string }[];
}): JSX.Element {
  const draft = useDraftFields('create', EMPTY);
  const { project: wanted, count: many, ...fields } = draft.fields;
  const project = (projects.find(({ name }) => name === wanted) ?? projects[0])?.name ?? '';
  const { objective, context, constraints, deliverables, checks, ...values } = fields;
  const spec = { objective, context, constraints, deliverables, checks };
  const text = specText(spec);
  const count = Number(many);
  // What was written before is not hidden.
  const [wasOpen] = useState({ spec: text !== undefined, start: START.some((name) => values[name] !== '') });
  const roles = useQuery('list_agent_roles', { project }, { enabled: project !== '' });
  const suggested = useFreeName();
  const create = useAction('create_agent', { quiet: true });
  const race = useAction('race_agents', { quiet: true });
  const error = create.error ?? race.error;
  const field = error instanceof ApiError ? error.field : undefined;
  const errorOf = (name: string): string | undefined => (field === name ? messageOf(error) : undefined);
  const set = (name: keyof typeof EMPTY) => (event: { currentTarget: { value: string } }) =>
    draft.set({ [name]: event.currentTarget.value });
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    const wrong = form.current?.querySelector<HTMLElement>('[aria-invalid=true]');
    wrong?.closest('details')?.setAttribute('open', '');
    wrong?.focus();
  }, [error]);
  const submit = async (): Promise<void> => {
    create.reset();
    race.reset();
    const given = Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, value.trim() === '' ? undefined : value.trim()]),
    );
    if (count > 1) {
      const answer = await race.run({
        project,
        count,
        task: given['task'],
        spec: text,
        roles: given['role'] === undefined ? undefined : [given['role']],
      });
      if (answer === undefined) return;
      draft.forget();
      go('/fleet');
      return;
    }
    const answer = await create.run({ project, ...given, name: given['name'] ?? suggested, spec: text });
    if (answer === undefined) return;
    draft.forget();
    go(`/agents/${encodeURIComponent(answer.agent.name)}`);
  };
  const busy = create.running || race.running;
  return (
    <form
      ref={form}
      class="create"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Field label="Project" error={errorOf('project')}>
        {(props) => (
          <select
            {...props}
            value={project}
            onChange={(event) => draft.set({ project: event.currentTarget.value, role: '' })}
          >
            {projects.map(({ name, description }) => (
              <option key={name} value={name}>
                {description === '' ? name : `${name}: ${description}`}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field
        label="Task"
        error={errorOf('task')}
        hint="What it should do first. Without it, the spec is the task."
      >
        {(props) => <textarea {...props} rows={5} autofocus value={values.task} onInput={set('task')} />}
      </Field>
      <div class="columns">
        <Field label="Role" error={errorOf('role') ?? errorOf('roles')}>
          {(props) => (
            <select {...props} value={values.role} onChange={set('role')}>
              <option value="">default{defaultOf(roles.data?.roles)}</option>
              {roles.data?.roles.map(({ name, description }) => (
                <option key={name} value={name}>
                  {description === '' ? name : `${name}: ${description}`}
                </option>
              ))}
            </select>
          )}
        </Field>
        {count > 1 ? null : (
          <Field label="Name" error={errorOf('name')} hint={`Left empty, it is called ${suggested}.`}>
            {(props) => (
              <input
                {...props}
                maxLength={32}
                placeholder={suggested}
                value={values.name}
                onInput={set('name')}
              />
            )}
          </Field>
        )}
        <Field label="How many" error={errorOf('count')} hint="More than one race on the same task.">
          {(props) => (
            <input {...props} type="number" min={1} max={10} required value={many} onInput={set('count')} />
          )}
        </Field>
      </div>
      <details open={wasOpen.spec}>
        <summary>Spec: what all its tasks converge on</summary>
        <SpecFields spec={spec} onChange={draft.set} error={errorOf('spec')} />
      </details>
      {count > 1 ? null : (
        <details open={wasOpen.start}>
          <summary>Start from a branch or a pull request</summary>
          <div class="columns">
            <Field label="Base" error={errorOf('base')} hint="Branch, tag or commit">
              {(props) => <input {...props} value={values.base} onInput={set('base')} />}
            </Field>
            <Field label="Existing branch" error={errorOf('branch')}>
              {(props) => <input {...props} value={values.branch} onInput={set('branch')} />}
            </Field>
            <Field label="Pull request" error={errorOf('pull_request_url')}>
              {(props) => (
                <input
                  {...props}
                  type="url"
                  value={values.pull_request_url}
                  onInput={set('pull_request_url')}
                />
              )}
            </Field>
          </div>
        </details>
      )}
      {error === undefined || isShownAtField(field) ? null : (
        <p class="error" role="alert">
          {messageOf(error)}
        </p>
      )}
      <div class="buttons">
        <button type="submit" class="primary" disabled={busy}>
          {busy ? 'Creating…' : count > 1 ? `Create ${count} agents` : 'Create'}
        </button>
      </div>
    </form>
  );
}

/** The same name until somebody has taken it. */
function useFreeName(): string {
  const taken = new Set(useObservable(fleet)?.agents.map(({ name }) => nameKey(name)));
  const free = useRef('');
  if (free.current === '' || taken.has(free.current)) free.current = chooseName(taken);
  return free.current;
}

function isShownAtField(field: string | undefined): boolean {
  return [
    'project',
    'task',
    'role',
    'roles',
    'name',
    'count',
    'spec',
    'base',
    'branch',
    'pull_request_url',
  ].includes(field ?? '');
}

function defaultOf(
  roles: readonly { readonly name: string; readonly default: boolean }[] | undefined,
): string {
  const found = roles?.find((role) => role.default);
  return found === undefined ? '' : ` (${found.name})`;
}
