import type { LoginSource } from '../../agents/login-of.ts';

/** Where the login of a coding agent comes from, for people; never the login itself. */
export function loginText(login: LoginSource | null): string {
  if (login === null) return '-';
  switch (login.source) {
    case 'not needed':
      return 'not needed';
    case 'fleet':
      return "the fleet's own";
    case 'variable':
    case 'file':
      return login.name ?? login.source;
  }
}
