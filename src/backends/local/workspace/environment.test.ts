import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { agentEnvironment } from './environment.ts';

const ALLOWED = words(`
  PATH HOME LANG LC_ALL TERM COLORTERM
  HTTPS_PROXY https_proxy NO_PROXY SSL_CERT_FILE NODE_EXTRA_CA_CERTS
  GIT_AUTHOR_NAME GIT_COMMITTER_EMAIL
  npm_config_registry NPM_CONFIG_USERCONFIG npm_config_@mine:registry PIP_INDEX_URL PIP_CERT UV_INDEX_URL GOPROXY GOFLAGS
  CARGO_REGISTRIES_MINE_INDEX CARGO_NET_OFFLINE RUSTUP_HOME JAVA_HOME PLAYWRIGHT_BROWSERS_PATH
`);
const OTHERS = words(`
  AWS_SECRET_ACCESS_KEY GITHUB_TOKEN FLEET_TOKEN FLEET_HOME CODER_SESSION_TOKEN
  ANTHROPIC_API_KEY OPENAI_API_KEY SSH_AUTH_SOCK NODE_OPTIONS LD_PRELOAD BASH_ENV
  npm_config_cache npm_config_prefix npm_config_local_prefix PIP_CACHE_DIR PIP_TARGET CARGO_HOME CARGO_REGISTRY_TOKEN
  CARGO_REGISTRIES_MINE_TOKEN GOPATH GOMODCACHE MAVEN_OPTS
  GIT_DIR GIT_SSH_COMMAND MYPATH PATH_ LC TERMINAL USER LOGNAME SHELL TMPDIR TZ
`);
const starter = Object.fromEntries([...ALLOWED, ...OTHERS].map((name) => [name, `their ${name}`]));

describe('the environment of an agent', () => {
  it('has the listed variables of the process that started it, and nothing else', () => {
    const env = agentEnvironment({ agent: 'command', starter, env: {}, env_from: [], sandboxed: false });
    expect(Object.keys(env).toSorted()).toEqual(ALLOWED.toSorted());
    expect(env['PATH']).toBe('their PATH');
  });

  it('has the variables of its own kind, and not those of another [ENV-own-kind]', () => {
    const of = (agent: string) =>
      Object.keys(agentEnvironment({ agent, starter, env: {}, env_from: [], sandboxed: false }));
    expect(of('claude')).toContain('ANTHROPIC_API_KEY');
    expect(of('claude')).not.toContain('OPENAI_API_KEY');
    expect(of('codex')).toContain('OPENAI_API_KEY');
    expect(of('codex')).not.toContain('ANTHROPIC_API_KEY');
  });

  it('has what its role says, and what it takes by name where that is set', () => {
    const env = agentEnvironment({
      agent: 'command',
      starter,
      env: { ADDED: 'yes', LANG: 'C' },
      env_from: ['GITHUB_TOKEN', 'NOT_SET'],
      sandboxed: false,
    });
    expect(env).toMatchObject({ ADDED: 'yes', LANG: 'C', GITHUB_TOKEN: 'their GITHUB_TOKEN' });
    expect(env).not.toHaveProperty('NOT_SET');
    expect(env).not.toHaveProperty('AWS_SECRET_ACCESS_KEY');
  });

  it('in the sandbox has no settings directory of the process that started it, but one that its role names', () => {
    const theirs = { CLAUDE_CONFIG_DIR: '/home/me/.claude', ANTHROPIC_API_KEY: 'x' };
    const of = (sandboxed: boolean, env: Record<string, string>) =>
      agentEnvironment({ agent: 'claude', starter: theirs, env, env_from: [], sandboxed });
    expect(of(true, {})).toEqual({ ANTHROPIC_API_KEY: 'x' });
    expect(of(false, {})).toEqual(theirs);
    expect(of(true, { CLAUDE_CONFIG_DIR: '/own' })).toMatchObject({ CLAUDE_CONFIG_DIR: '/own' });
  });

  it('never has a variable that nobody named, whatever it is called', () => {
    const name = fc.string({
      unit: fc.constantFrom(...'ABCEHLMOPRST_'.split('')),
      minLength: 1,
      maxLength: 12,
    });
    const known = /^(?:LC_[A-Z_]+|PATH|HOME|(?:HTTP|HTTPS|NO|ALL|FTP)_PROXY)$/;
    fc.assert(
      fc.property(name, (name) => {
        const env = agentEnvironment({
          agent: 'command',
          starter: { [name]: 'x' },
          env: {},
          env_from: [],
          sandboxed: false,
        });
        if (!known.test(name)) expect(env).toEqual({});
      }),
    );
  });
});

function words(text: string): string[] {
  return text.trim().split(/\s+/);
}
