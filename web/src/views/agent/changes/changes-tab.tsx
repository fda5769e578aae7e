import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { ofAgent, useQuery } from '../../../api/use-query.ts';
import { Empty, Loaded } from '../../../parts/states.tsx';
import { visible } from '../../../parts/visible.ts';
import { Link, useLocation } from '../../../router.tsx';
import type { Agent } from '../agent.ts';
import { Comments } from './comments.tsx';
import { FileChanges } from './file-changes.tsx';
import { ReviewBar } from './review-bar.tsx';
import { WorkActions } from './work-actions.tsx';

const LIST_BYTES = 1_000_000;
/** Files whose patches are shown without a click. */
const OPEN_FILES = 12;

/** Files and patches of the branch or of one task, with comments, and what can be done with the work. */
export function ChangesTab({ agent }: { agent: Agent }): JSX.Element {
  const { query } = useLocation();
  const task = query.get('task') ?? undefined;
  const [filter, setFilter] = useState('');
  const diff = useQuery(
    'show_agent_diff',
    { agent_name: agent.name, task_id: task, max_bytes: LIST_BYTES },
    { refreshOn: (event) => ofAgent(agent.name)(event) && event.kind !== 'metadata' },
  );
  const comments = useQuery(
    'list_review_comments',
    { agent_name: agent.name },
    { refreshOn: ofAgent(agent.name) },
  );
  const drafts = comments.data?.comments ?? [];
  return (
    <Loaded query={diff} what="the changes">
      {(shown) => {
        const files = shown.files.filter(({ path }) => path.toLowerCase().includes(filter.toLowerCase()));
        const elsewhere = shown.files.filter(({ runs_elsewhere }) => runs_elsewhere);
        return (
          <>
            <div class="changes-head">
              <p>
                {task === undefined ? null : (
                  <>
                    What one task changed.{' '}
                    <Link to={`/agents/${encodeURIComponent(agent.name)}/changes`}>
                      Show the whole branch
                    </Link>
                    .{' '}
                  </>
                )}
                {shown.total_files} {shown.total_files === 1 ? 'file' : 'files'},{' '}
                <span class="plus">+{shown.insertions}</span> <span class="minus">−{shown.deletions}</span>
                {shown.branch === null ? null : (
                  <>
                    {' '}
                    on <bdi class="branch">{shown.branch}</bdi>
                  </>
                )}
                {shown.uncommitted ? ', not all of it committed' : ''}
              </p>
              {task === undefined ? (
                <WorkActions
                  agent={agent}
                  head={shown.head}
                  uncommitted={shown.uncommitted}
                  empty={shown.total_files === 0}
                />
              ) : null}
            </div>
            {(shown.notes ?? []).map((note) => (
              <p key={note} class="notice">
                <bdi>{visible(note)}</bdi>
              </p>
            ))}
            {elsewhere.length === 0 ? null : (
              <p class="notice">
                Takes effect for others once it lands:{' '}
                <bdi>{visible(elsewhere.map(({ path }) => path).join(', '))}</bdi>
              </p>
            )}
            {shown.total_files === 0 ? (
              <Empty title="Nothing changed yet" />
            ) : (
              <div class="changes">
                <nav aria-label="Changed files">
                  <input
                    type="search"
                    aria-label="Filter files"
                    placeholder="Filter files"
                    value={filter}
                    onInput={(event) => setFilter(event.currentTarget.value)}
                  />
                  <ul>
                    {files.map(({ path, insertions, deletions }) => (
                      <li key={path}>
                        <a href={`#file-${encodeURIComponent(path)}`} title={visible(path)}>
                          <bdi>{visible(path)}</bdi>
                        </a>{' '}
                        <span class="plus">+{insertions}</span> <span class="minus">−{deletions}</span>
                      </li>
                    ))}
                  </ul>
                </nav>
                <div class="files">
                  {files.map((file, index) => (
                    <FileChanges
                      key={file.path}
                      agent={agent}
                      file={file}
                      task={task}
                      version={`${shown.head ?? ''} ${file.insertions} ${file.deletions} ${agent.git?.as_of ?? ''}`}
                      startsOpen={index < OPEN_FILES && !file.binary}
                      comments={drafts.filter(({ path }) => path === file.path)}
                      onCommented={comments.reload}
                    />
                  ))}
                  {shown.cursor === null ? null : (
                    <p class="quiet">More files changed than are listed here. Use fleet diff.</p>
                  )}
                </div>
              </div>
            )}
            {unplaced(drafts, shown.files).length === 0 ? null : (
              <section>
                <h2>Comments on files that are no longer changed</h2>
                <Comments
                  agent={agent.name}
                  comments={unplaced(drafts, shown.files)}
                  onChanged={comments.reload}
                />
              </section>
            )}
            <ReviewBar agent={agent} count={drafts.length} onSent={comments.reload} />
          </>
        );
      }}
    </Loaded>
  );
}

function unplaced<Comment extends { readonly path: string }>(
  comments: readonly Comment[],
  files: readonly { readonly path: string }[],
): readonly Comment[] {
  return comments.filter(({ path }) => files.every((file) => file.path !== path));
}
