import { FleetError, quote } from '../../domain/values/errors.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** Keeps other sites' pages out: their requests name another host (DNS rebinding) or carry their own origin. */
export function checkHostAndOrigin(request: Request, allowedHosts: readonly string[]): void {
  const host = (request.headers.get('host') ?? new URL(request.url).host).toLowerCase();
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:[\]/@]+)(?::\d+)?$/.exec(host) ?? [];
  if (name === undefined || ![...LOOPBACK, ...allowedHosts.map(asHostname)].includes(name)) {
    throw new FleetError(
      'FORBIDDEN',
      `This server does not answer for the host ${quote(host)}. Use the address that fleet serve printed.`,
      { reason: 'foreign_host' },
    );
  }
  const origin = request.headers.get('origin');
  if (origin !== null && origin !== originOf(host)) {
    throw new FleetError('FORBIDDEN', `Requests from the origin ${quote(origin)} are not allowed.`, {
      reason: 'foreign_origin',
    });
  }
}

/** The same question, of headers alone. */
export function isForeign(
  host: string,
  origin: string | undefined,
  allowedHosts: readonly string[],
): boolean {
  const lower = host.toLowerCase();
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:[\]/@]+)(?::\d+)?$/.exec(lower) ?? [];
  if (name === undefined || ![...LOOPBACK, ...allowedHosts.map(asHostname)].includes(name)) return true;
  return origin !== undefined && origin !== originOf(lower);
}

function originOf(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.origin;
}

function asHostname(host: string): string {
  const lower = host.toLowerCase();
  return lower.includes(':') && !lower.startsWith('[') ? `[${lower}]` : lower;
}
