import { useCallback, useState } from 'preact/hooks';

const PREFIX = 'fleet-draft ';

export interface Draft {
  readonly text: string;
  set(text: string): void;
  /** Forgets what was sent, also when another view is shown by now; what was written since then stays. */
  sent(text: string): void;
}

/** Text that is written and not sent yet: it is there again after another view was shown, or the page loaded again. */
export function useDraft(key: string): Draft {
  const [state, setState] = useState<{ readonly key: string; readonly text: string }>();
  const set = useCallback(
    (text: string) => {
      keep(key, text);
      setState({ key, text });
    },
    [key],
  );
  const sent = useCallback((text: string) => kept(key) === text && set(''), [key, set]);
  return { text: state?.key === key ? state.text : kept(key), set, sent };
}

/** The texts of several fields, as one draft. */
export function useDraftFields<Name extends string>(
  key: string,
  initial: Readonly<Record<Name, string>>,
): {
  readonly fields: Readonly<Record<Name, string>>;
  set(changed: Partial<Record<Name, string>>): void;
  forget(): void;
} {
  const draft = useDraft(key);
  const fields = { ...initial, ...textsIn(draft.text) };
  return {
    fields,
    set: (changed) => draft.set(JSON.stringify({ ...initial, ...textsIn(kept(key)), ...changed })),
    forget: () => draft.set(''),
  };
}

/** For whoever uses this browser next. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
}

function kept(key: string): string {
  return sessionStorage.getItem(PREFIX + key) ?? '';
}

function keep(key: string, text: string): void {
  try {
    if (text === '') sessionStorage.removeItem(PREFIX + key);
    else sessionStorage.setItem(PREFIX + key, text);
  } catch {
    // The browser keeps no more: the text is there while the view is shown.
  }
}

function textsIn(json: string): Readonly<Record<string, string>> {
  if (json === '') return {};
  const value: unknown = JSON.parse(json);
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).filter(([, text]) => typeof text === 'string'))
    : {};
}
