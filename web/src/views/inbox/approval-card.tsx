import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { askedFor, type AskedFor } from '../../../../src/domain/approvals/asked-for.ts';
import { unifiedDiff } from '../../../../src/domain/approvals/unified-diff.ts';
import type { AgentRow, ApprovalRow } from '../../api/live.ts';
import { useAction } from '../../api/use-action.ts';
import { useMay } from '../../parts/button.tsx';
import { Clamped } from '../../parts/clamped.tsx';
import { useDraft } from '../../api/drafts.ts';
import { Patch } from '../../parts/patch/patch.tsx';
import { Ago, Until } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';
import { Link } from '../../router.tsx';
import { QuestionForm } from './question-form.tsx';
import { useSeen } from './use-seen.ts';

const WANTS: Readonly<Record<AskedFor['kind'], string>> = {
  command: 'wants to run a command',
  edit: 'wants to edit a file',
  question: 'asks a question',
  tool: 'wants to use a tool',
};

/** A permission or a question, with all that is asked for, and the answers. */
export function ApprovalCard({
  approval,
  agent,
}: {
  approval: ApprovalRow;
  agent: AgentRow | undefined;
}): JSX.Element {
  const asked = askedFor(approval, homeIn(approval.input, agent?.workspace_id));
  const answering = useAction('respond_approval');
  const mayAnswer = useMay('respond_approval');
  const note = useDraft(`note ${approval.id}`);
  const [hadNote] = useState(note.text !== '');
  const subject = useRef<HTMLDivElement>(null);
  const { complete, showRest } = useSeen(subject);
  const answer = async (given: {
    decision: 'allow' | 'deny';
    option?: string;
    answer?: string;
  }): Promise<boolean> => {
    const words = note.text.trim();
    const answered = await answering.run({
      id: approval.id,
      ...given,
      note: words === '' ? undefined : words,
    });
    if (answered !== undefined) note.sent(note.text);
    return answered !== undefined;
  };
  return (
    <>
      <header>
        <h2>
          {approval.agent_name === null ? (
            <bdi>{approval.asked_by}</bdi>
          ) : (
            <Link to={`/agents/${encodeURIComponent(approval.agent_name)}`}>
              <bdi>{approval.agent_name}</bdi>
            </Link>
          )}{' '}
          {WANTS[asked.kind]}
        </h2>
        <p class="quiet">
          asked <Ago at={approval.asked_at} />
          {approval.expires_at === null ? null : (
            <>
              , <Until at={approval.expires_at} />
            </>
          )}
        </p>
      </header>
      {agent?.current_task == null ? null : (
        <Clamped class="quiet">
          Task: <bdi>{visible(agent.current_task)}</bdi>
        </Clamped>
      )}
      <div ref={subject}>
        <Subject asked={asked} />
      </div>
      {mayAnswer ? (
        <>
          {approval.kind === 'question' ? (
            <QuestionForm approval={approval} busy={answering.running} onAnswer={answer} />
          ) : (
            <Options
              approval={approval}
              busy={answering.running}
              onAnswer={(given) => void answer(given)}
              {...(complete ? {} : { showRest })}
            />
          )}
          <details open={hadNote}>
            <summary>Add a note for the agent</summary>
            <textarea
              aria-label="Note for the agent"
              rows={2}
              value={note.text}
              onInput={(event) => note.set(event.currentTarget.value)}
            />
          </details>
        </>
      ) : (
        <p class="quiet">You may not answer this: the token has no scope approve.</p>
      )}
    </>
  );
}

/** The answers of a permission. It can be allowed only after all of what is asked for was on the screen. */
function Options({
  approval,
  busy,
  onAnswer,
  showRest,
}: {
  approval: ApprovalRow;
  busy: boolean;
  onAnswer: (given: { decision: 'allow' | 'deny'; option?: string }) => void;
  /** Undefined once all of it was seen. */
  showRest?: () => void;
}): JSX.Element {
  const buttons = useRef<HTMLDivElement>(null);
  const isHidden = showRest !== undefined;
  useEffect(() => {
    // The button that showed the rest had the focus, and is gone.
    if (!isHidden && document.activeElement === document.body)
      buttons.current?.closest<HTMLElement>('[data-waiting]')?.focus({ preventScroll: true });
  }, [isHidden]);
  const options =
    approval.options.length > 0
      ? approval.options
      : ([
          { id: '', name: 'Allow', decision: 'allow' },
          { id: '', name: 'Deny', decision: 'deny' },
        ] as const);
  const first = {
    allow: options.find(({ decision }) => decision === 'allow'),
    deny: options.find(({ decision }) => decision === 'deny'),
  };
  return (
    <div class="buttons" ref={buttons}>
      {options.map((option) => {
        const { id, name, decision } = option;
        const hidden = decision === 'allow' && isHidden;
        const key = hidden
          ? undefined
          : option === first.allow
            ? 'y'
            : option === first.deny
              ? 'n'
              : undefined;
        return (
          <button
            key={`${id}-${name}`}
            type="button"
            class={option === first.allow ? 'primary' : decision === 'deny' ? 'danger' : ''}
            disabled={busy || hidden}
            data-key={key}
            onClick={() => onAnswer({ decision, ...(id === '' ? {} : { option: id }) })}
          >
            <bdi>{visible(name)}</bdi> {key === undefined ? null : <kbd>{key}</kbd>}
          </button>
        );
      })}
      {showRest === undefined ? null : (
        <>
          <button type="button" data-key="y" onClick={showRest}>
            Show the rest <kbd>y</kbd>
          </button>
          <span class="quiet">It can be allowed once all of it was on the screen.</span>
        </>
      )}
    </div>
  );
}

function Subject({ asked }: { asked: AskedFor }): JSX.Element {
  switch (asked.kind) {
    case 'command':
      return (
        <>
          <pre class="command" tabIndex={0}>
            <code>
              <bdi>{visible(asked.command)}</bdi>
            </code>
          </pre>
          <Rest value={asked.rest} />
        </>
      );
    case 'edit':
      return (
        <>
          {asked.edits.map((edit, index) => (
            <section key={index}>
              <h3>
                <bdi>{visible(edit.path)}</bdi>
              </h3>
              <Patch patch={unifiedDiff(edit)} path={edit.path} whole />
            </section>
          ))}
          <Rest value={asked.rest} />
        </>
      );
    case 'question':
      return (
        <p class="question">
          <bdi>{visible(asked.question)}</bdi>
        </p>
      );
    case 'tool':
      return (
        <>
          <p>
            <code>
              <bdi>{visible(asked.tool)}</bdi>
            </code>
          </p>
          <Rest value={asked.rest} />
        </>
      );
  }
}

function Rest({ value }: { value: unknown }): JSX.Element | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object' && Object.keys(value).length === 0) return null;
  return (
    <pre tabIndex={0}>
      <bdi>{visible(typeof value === 'string' ? value : JSON.stringify(value, null, 2))}</bdi>
    </pre>
  );
}

/** The fleet's home, so that a path of the agent's own workspace is shown from there on. */
function homeIn(input: unknown, workspace: string | undefined): string {
  if (workspace === undefined) return '';
  const text = JSON.stringify(input) ?? '';
  const at = text.indexOf(`/agents/${workspace}/work/`);
  return at === -1 ? '' : text.slice(text.lastIndexOf('"', at) + 1, at);
}
