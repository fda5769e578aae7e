import { describe, expect, it } from 'vitest';
import { isPullRequestAddress, matchesPullRequest, pullRequestOf } from './pull-request.ts';

describe('the pull request in the metadata of an agent', () => {
  it('is there when its address is', () => {
    expect(pullRequestOf({})).toBeNull();
    expect(
      pullRequestOf({
        fleet_mcp_pull_request_url: 'https://forge.test/a/b/pull/1',
        fleet_mcp_pull_request_status: 'draft',
        fleet_mcp_pull_request_check_status: 'failing',
      }),
    ).toEqual({
      url: 'https://forge.test/a/b/pull/1',
      status: 'draft',
      check_status: 'failing',
      error: null,
    });
  });

  it('has no status that is not one', () => {
    expect(
      pullRequestOf({ fleet_mcp_pull_request_url: 'x', fleet_mcp_pull_request_status: 'sideways' }),
    ).toMatchObject({ status: null, check_status: null });
  });
});

describe('the address of a pull request', () => {
  it.each([
    'https://github.test/a/b/pull/1',
    'http://gitea.test/a/b/pulls/12',
    'https://gitlab.test/group/sub/b/-/merge_requests/3/',
  ])('%s', (address) => {
    expect(isPullRequestAddress(address)).toBe(true);
  });

  it.each([
    'ftp://github.test/a/b/pull/1',
    'see https://github.test/a/b/pull/1',
    'https://github.test/pull/1',
    'https://github.test/a/b/pull/x',
    'https://github.test/a/b/pull/1/files',
    'https://github.test/a/b/pull/1?x',
    'https://github.test/a/b/issues/1',
    `https://github.test/${'a'.repeat(4096)}/pull/1`,
  ])('is not %s', (address) => {
    expect(isPullRequestAddress(address)).toBe(false);
  });

  it('may have 4096 bytes', () => {
    const address = `https://github.test/${'a'.repeat(4096 - 27)}/pull/1`;
    expect([address.length, isPullRequestAddress(address)]).toEqual([4096, true]);
  });
});

describe('a filter', () => {
  const found = (wanted: string, url = 'https://forge.test/a/b/pull/7') =>
    matchesPullRequest({ url, status: 'open', check_status: null, error: null }, wanted);

  it.each(['7', '#7', 'open'])('%s fits', (wanted) => {
    expect(found(wanted)).toBe(true);
  });

  it.each(['8', '77', 'merged', '#open', '7#'])('%s does not fit', (wanted) => {
    expect(found(wanted)).toBe(false);
  });

  it.each([
    'https://forge.test/a/b/pulls/7/files',
    'https://forge.test/a/b/-/merge_requests/7?x',
    'https://forge.test/a/b/pull/7#top',
  ])('finds the number in %s', (url) => {
    expect(found('7', url)).toBe(true);
  });

  it('finds no number where there is none', () => {
    expect(found('7', 'https://forge.test/a/b/issues/7')).toBe(false);
    expect(found('7', 'https://forge.test/a/b/pull/7x')).toBe(false);
  });
});
