/** The address of a git remote, without its user, its password and `.git`; undefined when it is on no other host. */
export function remoteAddress(remote: string): string | undefined {
  const short = /^(?:[\w.-]+@)?([\w.-]+):(?!\/\/)\/?([^\s]+)$/.exec(remote);
  const address = short === null ? remote : `ssh://${short[1]}/${short[2]}`;
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url === undefined || !['http:', 'https:', 'ssh:'].includes(url.protocol)) return undefined;
  const path = url.pathname.replace(/\/+$/, '').replace(/\.git$/, '');
  return `${url.protocol}//${url.host}${path}`;
}
