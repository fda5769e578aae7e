import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { Answer } from '../../../../../src/operations/table.ts';
import { messageOf } from '../../../api/api-error.ts';
import { call } from '../../../api/call.ts';
import { reconnects } from '../../../api/event-stream.ts';
import { useObservable } from '../../../api/observable.ts';
import { useAction } from '../../../api/use-action.ts';
import { useMay } from '../../../parts/button.tsx';
import { useDraftFields } from '../../../api/drafts.ts';
import type { PatchLine } from '../../../parts/patch/parse-patch.ts';
import { Patch } from '../../../parts/patch/patch.tsx';
import { visible } from '../../../parts/visible.ts';
import type { Agent } from '../agent.ts';
import { CommentForm, Comments } from './comments.tsx';

type ChangedFile = Answer<'show_agent_diff'>['files'][number];
type Comment = Answer<'list_review_comments'>['comments'][number];
type Place = { readonly line: number; readonly side: 'new' | 'old'; readonly snippet: string };

const PAGE_BYTES = 200_000;
const NOWHERE = { line: '', side: '', snippet: '' };

/** One file: its heading, and its patch when it is open. */
export function FileChanges({
  agent,
  file,
  task,
  version,
  startsOpen,
  comments,
  onCommented,
}: {
  agent: Agent;
  file: ChangedFile;
  task: string | undefined;
  /** The patch is read again when this changes. */
  version: string;
  startsOpen: boolean;
  comments: readonly Comment[];
  onCommented: () => void;
}): JSX.Element {
  const draftKey = `comment ${agent.workspace_id} ${file.path}`;
  const { fields, set: setFields, forget } = useDraftFields(draftKey, NOWHERE);
  const at = fields.line === '' ? undefined : placeIn(fields);
  const [open, setOpen] = useState(startsOpen || at !== undefined);
  const mayComment = useMay('add_review_comment') && task === undefined;
  const { patch, more, problem, loadMore } = usePatch({
    agent: agent.name,
    path: file.path,
    task,
    version,
    open,
  });
  const add = useAction('add_review_comment');
  const save = async (place: Place, text: string): Promise<boolean> => {
    const answer = await add.run({ agent_name: agent.name, path: file.path, ...place, text });
    if (answer === undefined) return false;
    forget();
    onCommented();
    return true;
  };
  const under = (line: PatchLine): JSX.Element | null => {
    const place = placeOf(line);
    const here = comments.filter(
      (each) => !each.stale && each.line === place.line && each.side === place.side,
    );
    const isOpen = at !== undefined && at.line === place.line && at.side === place.side;
    if (here.length === 0 && !isOpen) return null;
    return (
      <div class="line-comments">
        <Comments agent={agent.name} comments={here} onChanged={onCommented} />
        {isOpen ? (
          <CommentForm
            draftKey={`${draftKey} ${place.side} ${place.line}`}
            busy={add.running}
            onSave={(text) => save(place, text)}
            onClose={forget}
          />
        ) : null}
      </div>
    );
  };
  const stale = comments.filter((each) => each.stale);
  return (
    <section class="file" id={`file-${encodeURIComponent(file.path)}`}>
      <h2>
        <button type="button" class="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
          <span aria-hidden="true">{open ? '▾' : '▸'}</span>{' '}
          <bdi>
            {visible(
              file.old_path === null || file.old_path === file.path
                ? file.path
                : `${file.old_path} → ${file.path}`,
            )}
          </bdi>
        </button>
        <span class="tag">{file.status.replace('_', ' ')}</span>
        {file.uncommitted ? <span class="tag attention">not committed</span> : null}
        {file.runs_elsewhere ? <span class="tag attention">runs elsewhere</span> : null}
        <span class="plus">+{file.insertions}</span> <span class="minus">−{file.deletions}</span>
      </h2>
      {!open ? null : file.binary ? (
        <p class="quiet">A binary file.</p>
      ) : problem !== undefined ? (
        <p class="error">{problem}</p>
      ) : patch === undefined ? (
        <p class="quiet">Loading…</p>
      ) : (
        <>
          <Patch
            patch={patch}
            path={file.path}
            under={under}
            {...(mayComment ? { onLine: (line: PatchLine) => setFields(textsOf(placeOf(line))) } : {})}
          />
          {more ? (
            <button type="button" onClick={loadMore}>
              Show more of this file
            </button>
          ) : null}
          {stale.length === 0 ? null : (
            <div class="line-comments">
              <p class="quiet">On lines that have changed since:</p>
              <Comments agent={agent.name} comments={stale} onChanged={onCommented} />
            </div>
          )}
        </>
      )}
    </section>
  );
}

function placeOf(line: PatchLine): Place {
  return line.new === null
    ? { line: line.old ?? 0, side: 'old', snippet: line.text }
    : { line: line.new, side: 'new', snippet: line.text };
}

function textsOf({ line, side, snippet }: Place): Readonly<Record<keyof Place, string>> {
  return { line: String(line), side, snippet };
}

function placeIn({ line, side, snippet }: Readonly<Record<keyof Place, string>>): Place {
  return { line: Number(line), side: side === 'old' ? 'old' : 'new', snippet };
}

/** The patch of one file, by pages of bytes. */
function usePatch({
  agent,
  path,
  task,
  version,
  open,
}: {
  agent: string;
  path: string;
  task: string | undefined;
  version: string;
  open: boolean;
}): { patch: string | undefined; more: boolean; problem: string | undefined; loadMore: () => void } {
  const [state, setState] = useState<{ patch?: string; cursor?: string | null; problem?: string }>({});
  const load = async (cursor: string | undefined, signal: AbortSignal): Promise<void> => {
    try {
      const answer = await call(
        'show_agent_diff',
        { agent_name: agent, task_id: task, paths: [path], format: 'patch', max_bytes: PAGE_BYTES, cursor },
        signal,
      );
      const text = answer.files.map((file) => file.patch ?? '').join('');
      setState((before) => ({
        patch: `${cursor === undefined ? '' : (before.patch ?? '')}${text}`,
        cursor: answer.cursor,
      }));
    } catch (thrown) {
      if (!signal.aborted) setState((before) => ({ ...before, problem: messageOf(thrown) }));
    }
  };
  const connected = useObservable(reconnects);
  const again = state.problem === undefined ? 0 : connected;
  useEffect(() => {
    if (!open) return;
    const ending = new AbortController();
    void load(undefined, ending.signal);
    return () => ending.abort();
  }, [open, version, agent, path, task, again]);
  return {
    patch: state.patch,
    more: typeof state.cursor === 'string',
    problem: state.problem,
    loadMore: () => void load(state.cursor ?? undefined, new AbortController().signal),
  };
}
