import { devNull } from 'node:os';

/** What a repository can configure to be run, off. Configuration in the environment stands above that of any file. */
const OFF: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', devNull],
  ['core.fsmonitor', 'false'],
  ['core.askPass', ''],
  ['core.sshCommand', 'ssh'],
  ['core.gitProxy', ''],
  ['core.alternateRefsCommand', 'true'],
  ['core.commitGraph', 'false'],
  ['core.logAllRefUpdates', 'true'],
  ['core.fsync', 'committed,loose-object,reference'],
  ['credential.helper', ''],
  ['diff.external', ''],
  ['log.showSignature', 'false'],
  ['submodule.recurse', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['commit.gpgSign', 'false'],
];

/** The environment of Fleet's own git. The caller's own GIT_DIR and the like would point it at another repository. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  return {
    ...withoutGit(process.env),
    ...ALWAYS,
    GIT_CONFIG_COUNT: String(OFF.length),
    ...Object.fromEntries(
      OFF.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}

/** The same where no configuration of anybody is read but that of the git directory itself. */
export function bareGitEnvironment(home: string): NodeJS.ProcessEnv {
  return {
    ...withoutGit(process.env),
    ...ALWAYS,
    HOME: home,
    XDG_CONFIG_HOME: home,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_ATTR_NOSYSTEM: '1',
  };
}

/** The user's own git, with their settings and logins: for a repository that only they write to. Nothing is asked. */
export function userGitEnvironment(): NodeJS.ProcessEnv {
  return { ...withoutGit(process.env), GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
}

/** Nothing is asked, fetched or locked beside the way, and commits have the parents that they were made with. */
const ALWAYS = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_OPTIONAL_LOCKS: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_GRAFT_FILE: devNull,
  LC_ALL: 'C',
};

function withoutGit(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith('GIT_')));
}
