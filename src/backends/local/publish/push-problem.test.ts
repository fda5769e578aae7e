import { describe, expect, it } from 'vitest';
import { pushProblem } from './push-problem.ts';

const refused = (why: string): string =>
  `To https://host/team/setup\n!\tabc:refs/heads/fleet/x\t${why}\nDone\n`;
const END = "error: failed to push some refs to 'https://host/team/setup'";

describe('why a push failed', () => {
  it.each([
    ['moved', refused('[rejected] (stale info)'), END],
    ['moved', refused('[rejected] (fetch first)'), END],
    [
      'protected',
      refused('[remote rejected] (protected branch hook declined)'),
      `remote: error: GH006: Protected branch update failed for refs/heads/fleet/x.\n${END}`,
    ],
    [
      'protected',
      refused('[remote rejected] (push declined due to repository rule violations)'),
      `remote: error: GH013: Repository rule violations found for refs/heads/fleet/x.\n${END}`,
    ],
    [
      'protected',
      refused('[remote rejected] (pre-receive hook declined)'),
      `remote: GitLab: You are not allowed to push code to protected branches on this project.\n${END}`,
    ],
    [
      'protected',
      refused('[remote rejected] (pre-receive hook declined)'),
      `remote: Gitea: Not allowed to push to protected branch fleet/x\n${END}`,
    ],
    [
      'rejected',
      refused('[remote rejected] (refusing to allow a Personal Access Token to create or update workflow)'),
      END,
    ],
    ['rejected', refused('[remote rejected] (pre-receive hook declined)'), `remote: too large\n${END}`],
    ['login', '', "fatal: Authentication failed for 'https://host/team/setup/'"],
    ['login', '', "fatal: could not read Username for 'https://host': terminal prompts disabled"],
    [
      'login',
      '',
      'remote: Permission to team/setup.git denied to ada.\nfatal: unable to access: The requested URL returned error: 403',
    ],
    ['login', '', 'git@host: Permission denied (publickey).\nfatal: Could not read from remote repository.'],
    ['unreachable', '', "fatal: unable to access 'https://host/': Could not resolve host: host"],
    ['unreachable', '', 'send-pack: unexpected disconnect while reading sideband packet'],
    ['unreachable', '', ''],
  ] as const)('%s: %s%s', (kind, stdout, stderr) => {
    expect(pushProblem(stdout, stderr).kind).toBe(kind);
  });

  it('is quoted as the remote says it, else as git does, without a login', () => {
    expect(pushProblem(refused('[remote rejected] (declined)'), `remote: \nremote: No.\n${END}`).said).toBe(
      'No.',
    );
    expect(pushProblem(refused('[rejected] (stale info)'), END).said).toBe('stale info');
    expect(pushProblem('', "fatal: unable to access 'https://ada:secret@host/x': no").said).toBe(
      "unable to access 'https://host/x': no",
    );
    expect(pushProblem('', `remote: ${'x'.repeat(5_000)}`).said).toHaveLength(400);
  });
});
