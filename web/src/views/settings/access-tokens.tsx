import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { useQuery } from '../../api/use-query.ts';
import { OperationButton, useMay } from '../../parts/button.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Loaded } from '../../parts/states.tsx';
import { Ago } from '../../parts/time.tsx';

/** Tokens of programs, and a way to revoke each. */
export function AccessTokens(): JSX.Element | null {
  const maySee = useMay('list_tokens');
  const tokens = useQuery('list_tokens', {}, { enabled: maySee });
  const revoke = useAction('revoke_token');
  const [asked, setAsked] = useState<string>();
  const revokeAsked = async (): Promise<void> => {
    if (asked === undefined) return;
    await revoke.run({ name: asked });
    setAsked(undefined);
    tokens.reload();
  };
  if (!maySee) return null;
  return (
    <section>
      <h2>Tokens</h2>
      <p class="quiet">
        <code>fleet token create NAME --scopes read</code> makes a token for a program. It is shown only once.
      </p>
      <Loaded query={tokens} what="the tokens">
        {(answer) =>
          answer.total_count === 0 ? (
            <p>There are no tokens besides the fleet’s own.</p>
          ) : (
            <ul class="plain-list">
              {answer.tokens.map(({ name, scopes, source, view, created_at }) => (
                <li key={name} class="line-item">
                  <span>
                    <bdi>{name}</bdi>{' '}
                    <span class="quiet">
                      {scopes.join(', ')}
                      {view === null ? '' : `, view ${view}`}, tasks as {source}, created{' '}
                      <Ago at={created_at} />
                    </span>
                  </span>
                  <OperationButton operation="revoke_token" onClick={() => setAsked(name)}>
                    Revoke…
                  </OperationButton>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {asked === undefined ? null : (
        <Dialog title={`Revoke the token ${asked}?`} onClose={() => setAsked(undefined)}>
          <p>The next request with this token is refused. This cannot be undone.</p>
          <div class="actions">
            <button type="button" class="danger" disabled={revoke.running} onClick={() => void revokeAsked()}>
              Revoke
            </button>
          </div>
        </Dialog>
      )}
    </section>
  );
}
