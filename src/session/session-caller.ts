import type { Caller, Scope } from '../domain/principal.ts';

/** What a session may do at most. It can never answer an approval: that is for the person. */
const MOST: readonly Scope[] = ['read', 'operate'];

/** The session as a principal of its own, apart from the person who started it. */
export function sessionCaller(person: Caller, view: string | undefined): Caller {
  const views = [...(person.views ?? []), ...(view === undefined ? [] : [view])];
  return {
    principal: { kind: 'session', name: person.principal.name },
    door: person.door,
    source: 'ai',
    scopes: new Set(MOST.filter((scope) => person.scopes.has(scope))),
    ...(views.length === 0 ? {} : { views }),
  };
}
