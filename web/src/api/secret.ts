// The secret is kept for this origin alone, port included, and sent in a header: a browser would send a cookie to every
// port of the host, also to one where an agent listens.
export const SECRET_KEY = 'fleet-session';

export function secret(): string | null {
  return localStorage.getItem(SECRET_KEY);
}

export function keepSecret(value: string): void {
  localStorage.setItem(SECRET_KEY, value);
}

export function forgetSecret(): void {
  localStorage.removeItem(SECRET_KEY);
}
