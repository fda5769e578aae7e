import type { ComponentChildren, JSX } from 'preact';
import { messageOf } from '../api/api-error.ts';
import type { Query } from '../api/use-query.ts';

export function Loading({ what }: { what: string }): JSX.Element {
  return <p class="state quiet">Loading {what}…</p>;
}

export function Problem({ error, retry }: { error: unknown; retry?: () => void }): JSX.Element {
  return (
    <div class="state problem" role="alert">
      <p>
        <bdi>{messageOf(error)}</bdi>
      </p>
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }): JSX.Element {
  return (
    <div class="state empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** The answer of a query, or what there is instead. */
export function Loaded<Value>({
  query,
  what,
  children,
}: {
  query: Query<Value>;
  what: string;
  children: (value: Value) => ComponentChildren;
}): JSX.Element {
  if (query.data === undefined) {
    return query.error === undefined ? (
      <Loading what={what} />
    ) : (
      <Problem error={query.error} retry={query.reload} />
    );
  }
  return (
    <>
      {query.error === undefined ? null : <Problem error={query.error} retry={query.reload} />}
      {children(query.data)}
    </>
  );
}
