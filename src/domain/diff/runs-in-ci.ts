/** Files that say what the continuous integration of a forge runs, with its secrets, once a branch has them. */
const WORKFLOWS: readonly RegExp[] = [
  /^\.(?:github|gitea|forgejo)\/(?:workflows|actions)\//,
  /^\.(?:circleci|buildkite|woodpecker)\//,
  /^\.(?:gitlab-ci|travis|drone|woodpecker)\.ya?ml$/,
  /^(?:azure-pipelines|bitbucket-pipelines|appveyor)\.ya?ml$/,
  /^Jenkinsfile$/,
];

export function runsInCi(path: string): boolean {
  return WORKFLOWS.some((pattern) => pattern.test(path));
}
