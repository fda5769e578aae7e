import type { ConfigSource } from '../../config/config-source.ts';

/** The address behind a proxy, without a slash at its end. One of a configuration that is not trusted does not count: a
 *  sign-in link must not lead to a stranger. */
export function publicUrlOf(source: ConfigSource): string | undefined {
  try {
    const { config, trusted } = source.current();
    return trusted ? config.public_url?.replace(/\/$/, '') : undefined;
  } catch {
    // A server runs also with a configuration that cannot be used, and says so.
    return undefined;
  }
}
