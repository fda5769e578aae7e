import type { ComponentChildren, JSX } from 'preact';
import type { OperationName } from '../../../src/operations/table.ts';
import { may } from '../api/call.ts';
import { useObservable } from '../api/observable.ts';
import { session } from '../api/session.ts';

export function useMay(operation: OperationName): boolean {
  const state = useObservable(session);
  return state.kind === 'signed-in' && may(state.info.scopes, operation);
}

/** A button for an operation: it is not there for a user who may not call it. */
export function OperationButton({
  operation,
  children,
  tone = '',
  ...rest
}: {
  operation: OperationName;
  children: ComponentChildren;
  tone?: '' | 'primary' | 'danger' | 'plain';
  onClick: () => void;
  disabled?: boolean;
  title?: string;
}): JSX.Element | null {
  if (!useMay(operation)) return null;
  return (
    <button type="button" class={tone} {...rest}>
      {children}
    </button>
  );
}
