import { createHash } from 'node:crypto';
import { request } from '@octokit/request';
import { RequestError } from '@octokit/request-error';
import type { z } from 'zod';
import type { Forge } from './forge.ts';
import { apiUrl, authorization } from './api-access.ts';
import type { ForgeMemory } from './forge-memory.ts';
import { ForgeProblem } from './forge-problem.ts';
import { guardedFetch } from './guarded-fetch.ts';
import { pauseOf } from './pause-of.ts';

export interface Question<Output> {
  /** Of the API of that forge, with its parameters in braces. */
  readonly route: string;
  readonly parameters: Readonly<Record<string, string | number>>;
  readonly schema: z.ZodType<Output>;
}

/** A change at a forge. */
export interface Command<Output> extends Omit<Question<Output>, 'parameters'> {
  readonly method: 'POST' | 'PUT' | 'PATCH';
  /** Those of the route; all others are the body of the request. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

/** Asks forges: what did not change is not sent again, and a forge that asks for a pause gets it. */
export class ForgeApi {
  readonly #memory: ForgeMemory;

  constructor(memory: ForgeMemory) {
    this.#memory = memory;
  }

  /** Throws a ForgeProblem. */
  async get<Output>(
    forge: Forge,
    { route, parameters, schema }: Question<Output>,
    signal: AbortSignal,
  ): Promise<Output> {
    const { baseUrl, host, origin } = this.#reach(forge);
    const key = keyOf([baseUrl, forge.token, route, parameters]);
    const known = this.#memory.answer(key);
    const before = known === undefined ? undefined : schema.safeParse(known.data).data;
    try {
      const { data, headers } = await request(`GET ${route}`, {
        ...parameters,
        baseUrl,
        headers: {
          accept: 'application/json',
          ...(known === undefined || before === undefined ? {} : { 'if-none-match': known.etag }),
          ...authorization(forge),
        },
        request: { fetch: guardedFetch(origin), signal },
      });
      const answer = parsed(schema, data, host);
      if (headers.etag !== undefined) this.#memory.keepAnswer(key, { etag: headers.etag, data: answer });
      return answer;
    } catch (thrown) {
      if (thrown instanceof RequestError && thrown.status === 304 && before !== undefined) return before;
      throw this.#problemOf(forge, thrown, signal);
    }
  }

  /** Sends a change, once. Throws a ForgeProblem, which has what the forge said. */
  async send<Output>(
    forge: Forge,
    { method, route, parameters, schema }: Command<Output>,
    signal: AbortSignal,
  ): Promise<Output> {
    const { baseUrl, host, origin } = this.#reach(forge);
    try {
      const { data } = await request(`${method} ${route}`, {
        ...parameters,
        baseUrl,
        headers: { accept: 'application/json', ...authorization(forge) },
        request: { fetch: guardedFetch(origin), signal },
      });
      const answer = schema.safeParse(data);
      if (answer.success) return answer.data;
      throw new ForgeProblem(`${host} sent an answer that cannot be read`);
    } catch (thrown) {
      const problem = this.#problemOf(forge, thrown, signal, meaningOfRefusal);
      const said = thrown instanceof RequestError ? saidIn(thrown.response?.data) : '';
      throw problem.status === undefined || said === ''
        ? problem
        : new ForgeProblem(`${problem.message}: ${withoutToken(said, forge)}`, problem.status);
    }
  }

  /** Throws while the forge asks for a pause. */
  #reach(forge: Forge): { readonly baseUrl: string; readonly host: string; readonly origin: string } {
    const baseUrl = apiUrl(forge);
    const { host, origin } = new URL(baseUrl);
    const pausedUntil = this.#memory.pausedUntil(host);
    if (pausedUntil > Date.now()) throw new ForgeProblem(pausedText(host, pausedUntil));
    return { baseUrl, host, origin };
  }

  #problemOf(
    forge: Forge,
    thrown: unknown,
    signal: AbortSignal,
    meaning: typeof meaningOf = meaningOf,
  ): ForgeProblem {
    const { host } = new URL(apiUrl(forge));
    if (thrown instanceof ForgeProblem) return thrown;
    if (signal.aborted) return new ForgeProblem(`${host} did not answer in time`);
    if (!(thrown instanceof RequestError) || thrown.response === undefined) {
      const message = thrown instanceof Error ? thrown.message : String(thrown);
      return new ForgeProblem(`${host} cannot be reached, or its answer read: ${message}`);
    }
    const pause = pauseOf(thrown.status, thrown.response.headers);
    if (pause === undefined)
      return new ForgeProblem(`${host} ${meaning(thrown.status, forge)}`, thrown.status);
    const until = Date.now() + pause;
    this.#memory.pause(host, until);
    return new ForgeProblem(pausedText(host, until));
  }
}

function parsed<Output>(schema: z.ZodType<Output>, data: unknown, host: string): Output {
  if (typeof data !== 'object' || data === null)
    throw new ForgeProblem(`${host} sent an answer that is not JSON`);
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new ForgeProblem(`${host} sent an answer that is not a pull request`);
}

/** A digest, because the token is part of it: another one may see another answer. */
function keyOf(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

function meaningOf(status: number, { token }: Forge): string {
  const who = token === null ? 'anybody without a token, and none is configured' : 'the configured token';
  if (status === 401 && token !== null) return 'does not take the token that is configured for it (401)';
  if (status === 401 || status === 403) return `does not show it to ${who} (${status})`;
  if (status === 404) return `has no such pull request, or does not show it to ${who} (404)`;
  return `answers with status ${status}`;
}

/** As `meaningOf`, for a change. */
function meaningOfRefusal(status: number, forge: Forge): string {
  if (status === 401) return meaningOf(status, forge);
  if (status === 403) return 'does not allow this with the configured token (403)';
  if (status === 404) return 'has no such repository, or does not allow this with the configured token (404)';
  return `refuses it (${status})`;
}

const MOST_SAID = 300;

/** What a forge says of a request that it refuses: GitHub and Gitea have a message and errors, GitLab one or the other. */
function saidIn(data: unknown): string {
  const { message, error, errors } = Object(data) as Record<string, unknown>;
  const details = Array.isArray(errors) ? errors.map((each: unknown) => textIn(each)) : [];
  const said = [textIn(message), textIn(error), ...details].filter((text) => text !== '').join('; ');
  return said.length > MOST_SAID ? `${said.slice(0, MOST_SAID - 1)}…` : said;
}

function textIn(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return value.map((each: unknown) => textIn(each)).join(', ');
  if (typeof value !== 'object' || value === null) return '';
  const { message } = value as Record<string, unknown>;
  return typeof message === 'string' ? message : JSON.stringify(value);
}

function withoutToken(text: string, { token }: Forge): string {
  return token === null || token === '' ? text : text.replaceAll(token, '…');
}

function pausedText(host: string, until: number): string {
  return `the rate limit of ${host} is used up; it is asked again after ${new Date(until).toISOString()}`;
}
