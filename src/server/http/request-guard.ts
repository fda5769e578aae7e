import { FleetError, quote } from '../../domain/values/errors.ts';

const LOOPBACK = ['127.0.0.1', 'localhost', '[::1]'];

/** What a server is called by its clients. */
export interface OwnAddresses {
  /** Host names beside the loopback ones. */
  readonly hosts: readonly string[];
  /** The address behind a proxy, which may pass its own host on or not. */
  readonly public_url?: string | undefined;
}

/** Keeps other sites' pages out: their requests name another host (DNS rebinding) or carry their own origin. */
export function checkHostAndOrigin(request: Request, own: OwnAddresses): void {
  const host = request.headers.get('host') ?? new URL(request.url).host;
  const origin = request.headers.get('origin') ?? undefined;
  const foreign = foreignPart(host, origin, own);
  if (foreign === 'host') {
    throw new FleetError(
      'FORBIDDEN',
      `This server does not answer for the host ${quote(host.toLowerCase())}. Use the address that fleet serve printed, or set public_url in fleet.yaml.`,
      { reason: 'foreign_host' },
    );
  }
  if (foreign === 'origin') {
    throw new FleetError('FORBIDDEN', `Requests from the origin ${quote(origin)} are not allowed.`, {
      reason: 'foreign_origin',
    });
  }
}

/** Which of the two headers is not the server's own. */
export function foreignPart(
  host: string,
  origin: string | undefined,
  { hosts, public_url }: OwnAddresses,
): 'host' | 'origin' | undefined {
  const lower = host.toLowerCase();
  const outer = public_url === undefined ? null : URL.parse(public_url);
  const isOuter = outer !== null && lower === outer.host;
  const [, name] = /^(\[[0-9a-f:.]+\]|[^:[\]/@]+)(?::\d+)?$/.exec(lower) ?? [];
  const isInner = name !== undefined && [...LOOPBACK, ...hosts.map(asHostname)].includes(name);
  if (!isOuter && !isInner) return 'host';
  if (origin === undefined || origin === outer?.origin) return undefined;
  return isInner && origin === originOf(lower) ? undefined : 'origin';
}

function originOf(host: string): string | undefined {
  return URL.parse(`http://${host}`)?.origin;
}

function asHostname(host: string): string {
  const lower = host.toLowerCase();
  return lower.includes(':') && !lower.startsWith('[') ? `[${lower}]` : lower;
}
