import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { putEntry } from './client-file.ts';

let directory: string;
let path: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-client-'));
  path = join(directory, 'sub', 'mcp.json');
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const ENTRY = { command: 'node', args: ['fleet.js', 'mcp'] };
const put = (entry: object = ENTRY) => putEntry({ path, key: 'mcpServers' }, 'fleet', entry);
const has = (text: string): void => {
  mkdirSync(join(directory, 'sub'), { recursive: true });
  writeFileSync(path, text);
};
const content = (): unknown => JSON.parse(readFileSync(path, 'utf8'));

describe('the file of an MCP client', () => {
  it('is made with its directory when it is not there, for everybody to read', () => {
    expect(put()).toBe('added');
    expect(content()).toEqual({ mcpServers: { fleet: ENTRY } });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });

  it('keeps its other keys and entries, their order, its indent and its mode', () => {
    has('{\n\t"inputs": [1],\n\t"mcpServers": {"b": {"url": "x"}, "a": {"command": "y"}},\n\t"z": null\n}');
    chmodSync(path, 0o640);
    expect(put()).toBe('added');
    expect(readFileSync(path, 'utf8')).toMatch(/^\{\n\t"inputs": \[\n\t\t1\n/);
    expect(JSON.stringify(content())).toBe(
      `{"inputs":[1],"mcpServers":{"b":{"url":"x"},"a":{"command":"y"},"fleet":${JSON.stringify(ENTRY)}},"z":null}`,
    );
    expect(statSync(path).mode & 0o777).toBe(0o640);
    expect(readdirSync(join(directory, 'sub'))).toEqual(['mcp.json']);
  });

  it('is not written again when it has the entry, and the entry is replaced when it is another', () => {
    put();
    const before = statSync(path, { bigint: true });
    expect(put()).toBe('unchanged');
    const after = statSync(path, { bigint: true });
    expect([after.ino, after.mtimeNs]).toEqual([before.ino, before.mtimeNs]);
    expect(put({ command: 'other' })).toBe('replaced');
    expect(content()).toEqual({ mcpServers: { fleet: { command: 'other' } } });
  });

  it('is written where a link to it leads', () => {
    has('{}');
    const link = join(directory, 'link.json');
    symlinkSync(path, link);
    expect(putEntry({ path: link, key: 'servers' }, 'fleet', ENTRY)).toBe('added');
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(content()).toEqual({ servers: { fleet: ENTRY } });
  });

  it.each([
    ['{"mcpServers": {', 'is not JSON'],
    ['// a comment\n{}', 'is not JSON'],
    ['[]', 'holds no JSON object'],
    ['"text"', 'holds no JSON object'],
    ['{"mcpServers": []}', 'has "mcpServers" with a value that is not an object'],
  ])('that holds %j is refused and left as it is', (text, problem) => {
    has(text);
    expect(put).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
    expect(put).toThrow(problem);
    expect(put).toThrow(path);
    expect(readFileSync(path, 'utf8')).toBe(text);
  });

  it('that is a directory is refused with its path', () => {
    mkdirSync(path, { recursive: true });
    expect(put).toThrow(expect.objectContaining({ code: 'INVALID_INPUT' }));
  });

  it.each(['', ' \n'])('that is empty (%j) is filled', (text) => {
    has(text);
    expect(put()).toBe('added');
    expect(content()).toEqual({ mcpServers: { fleet: ENTRY } });
  });
});
