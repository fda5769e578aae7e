import { runsInCi } from './runs-in-ci.ts';

/** Files that a shell, git, an editor or a coding agent runs or obeys by itself, wherever they land. */
const RUN: readonly RegExp[] = [
  /^\.(?:husky|githooks|devcontainer|vscode|idea)\//,
  /^\.(?:pre-commit-config|lefthook)\.ya?ml$/,
  /^lefthook\.ya?ml$/,
  /^fleet\.ya?ml$/,
  /(?:^|\/)\.(?:gitmodules|gitattributes|envrc|mcp\.json)$/,
  /(?:^|\/)\.(?:claude|codex|cursor|gemini|opencode)\//,
];

/** True also for what a forge runs. */
export function runsElsewhere(path: string): boolean {
  return runsInCi(path) || RUN.some((pattern) => pattern.test(path));
}
