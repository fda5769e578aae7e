import { devNull } from 'node:os';
import { userGitEnvironment } from '../../git/git-environment.ts';
import type { PushLogin } from '../../publishing.ts';

/** Reads the login from the environment of git: an argument would be visible to every user of the machine. */
const HELPER = `!f() { test "$1" = get && printf 'username=%s\\npassword=%s\\n' "$FLEET_PUSH_USERNAME" "$FLEET_PUSH_PASSWORD"; }; f`;

/** Variables by which a workspace, such as one of Coder, lets its git log in. */
export type OwnLogin = Readonly<Partial<Record<'GIT_ASKPASS' | 'GIT_SSH_COMMAND', string>>>;

/** The user's own git, which runs no hook, pushes nothing beside the one branch, and asks nobody. A login replaces the
 *  user's own for its host. */
export function pushEnvironment(
  remote: string,
  login: PushLogin | undefined,
  own: OwnLogin = {},
): NodeJS.ProcessEnv {
  const settings: readonly (readonly [key: string, value: string])[] = [
    ['core.hooksPath', devNull],
    ['core.fsmonitor', 'false'],
    ['push.followTags', 'false'],
    ['push.gpgSign', 'false'],
    ['push.recurseSubmodules', 'no'],
    [`remote.${remote}.mirror`, 'false'],
    // Without it git would not start the program in GIT_ASKPASS.
    ['credential.interactive', String(own.GIT_ASKPASS !== undefined)],
    ...(login === undefined
      ? []
      : ([
          ['credential.helper', ''],
          [`credential.${login.origin}.helper`, HELPER],
        ] as const)),
  ];
  return {
    ...userGitEnvironment(),
    GIT_ASKPASS: '',
    // A program that always fails in the place of a prompt: ssh would open the terminal by itself.
    SSH_ASKPASS: 'false',
    SSH_ASKPASS_REQUIRE: 'force',
    GCM_INTERACTIVE: 'never',
    ...own,
    ...(login === undefined
      ? {}
      : { FLEET_PUSH_USERNAME: login.username, FLEET_PUSH_PASSWORD: login.password }),
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(
      settings.flatMap(([key, value], index) => [
        [`GIT_CONFIG_KEY_${index}`, key],
        [`GIT_CONFIG_VALUE_${index}`, value],
      ]),
    ),
  };
}
