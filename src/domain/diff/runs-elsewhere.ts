/** Files that a forge, a shell, git, an editor or a coding agent runs or obeys by itself, wherever they land. */
const RUN: readonly RegExp[] = [
  /^\.(?:github|gitea|forgejo)\/(?:workflows|actions)\//,
  /^\.(?:circleci|buildkite|woodpecker|husky|githooks|devcontainer|vscode|idea)\//,
  /^\.(?:gitlab-ci|travis|drone|woodpecker|pre-commit-config|lefthook)\.ya?ml$/,
  /^(?:azure-pipelines|bitbucket-pipelines|lefthook|appveyor)\.ya?ml$/,
  /^Jenkinsfile$/,
  /^fleet\.ya?ml$/,
  /(?:^|\/)\.(?:gitmodules|gitattributes|envrc|mcp\.json)$/,
  /(?:^|\/)\.(?:claude|codex|cursor|gemini|opencode)\//,
];

export function runsElsewhere(path: string): boolean {
  return RUN.some((pattern) => pattern.test(path));
}
