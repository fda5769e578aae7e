import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AGENT_STATUSES } from '../../src/domain/status.ts';
import { EVENT_KINDS } from '../../src/domain/fleet-event.ts';
import { TASK_STATES } from '../../src/domain/task.ts';
import { OPERATIONS } from '../../src/operations/table.ts';
import { CHAT_ROUTES } from '../../src/server/chat/chat-routes.ts';
import { inlineCodeOf, pages, ROOT } from './pages.ts';

const PAGES = pages();
const NAMES: ReadonlySet<string> = new Set(OPERATIONS.map(({ name }) => name));
const VERB = /^(?:list|show|create|delete|restart|stop|start|cancel|wait|set|acknowledge)_[a-z_]+$/;

describe('names in the docs', () => {
  it.each(PAGES.map((page) => [page.path, page] as const))(
    'of operations in %s are those there are',
    (_, page) => {
      const named = inlineCodeOf(page).filter((word) => VERB.test(word) && word.includes('agent'));
      expect(named.filter((word) => !NAMES.has(word))).toEqual([]);
    },
  );

  it.each(PAGES.map(({ path, text }) => [path, text] as const))(
    'of routes in %s are those there are',
    (_, text) => {
      const routes = [...text.matchAll(/\/api\/v1(\/[\w{}/-]+)/g)].map(([, route = '']) => route);
      expect(routes.filter((route) => !isRoute(route))).toEqual([]);
    },
  );

  it('are complete for statuses, states of tasks and attention', () => {
    expect(words('status.md')).toEqual(expect.arrayContaining([...AGENT_STATUSES, ...TASK_STATES]));
  });

  it('are complete for kinds of events', () => {
    expect(words('http.md')).toEqual(expect.arrayContaining([...EVENT_KINDS]));
  });

  it('are complete for the tools of MCP', () => {
    expect(words('mcp.md')).toEqual(expect.arrayContaining([...NAMES]));
  });

  it('are complete for the reasons of errors', () => {
    expect(words('http.md')).toEqual(expect.arrayContaining(reasonsInSource()));
  });
});

function words(name: string): string[] {
  const page = PAGES.find(({ path }) => path === join('docs', name));
  return page === undefined ? [] : [...inlineCodeOf(page)];
}

function isRoute(route: string): boolean {
  return [...OPERATIONS.map(({ route: { path } }) => path), ...CHAT_ROUTES.map(({ path }) => path)].some(
    (path) => {
      const parts = path.split('/');
      const given = route.replace(/\/$/, '').split('/');
      return (
        parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
      );
    },
  );
}

/** Every `reason: 'some_code'` that an error can have. */
function reasonsInSource(): string[] {
  const files = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' });
  const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'));
  const found = sources.flatMap((file) =>
    [...readFileSync(join(ROOT, 'src', file), 'utf8').matchAll(/\breason: '(\w+_\w+)'/g)].map(
      ([, reason = '']) => reason,
    ),
  );
  return [...new Set(found)].toSorted();
}
