import type http from 'node:http';
import type https from 'node:https';

/** node:http, or node:https for an address that needs it. An import would load its lazy exports as well, among them undici:
 *  20 ms and 6 MB in every process. */
export function httpModule(): typeof http;
export function httpModule(protocol: string): typeof http | typeof https;
export function httpModule(protocol = 'http:'): typeof http | typeof https {
  return process.getBuiltinModule(protocol === 'https:' ? 'node:https' : 'node:http');
}
