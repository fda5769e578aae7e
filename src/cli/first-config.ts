/** A name for the project of a directory, as a configuration may spell it. */
export function projectNameFor(directory: string): string {
  const name = directory.replaceAll(/\p{Cc}/gu, '-').slice(0, 200);
  return name === '' ? 'project' : name;
}

/** The configuration that `fleet init` writes: small, whole, and it teaches. */
export function firstConfig({
  project,
  repository,
}: {
  readonly project: string;
  readonly repository: string;
}): string {
  return `# What this fleet works on, and who works on it. \`fleet doctor\` checks this file.
version: 1

projects:
  ${yamlText(project)}:
    repository: ${yamlText(repository).padEnd(10)} # each agent gets a worktree and a branch fleet/<name> of its own
    default_role: shell    # the role of agents that are created without --role
    # base: main           # what new branches start from; default: what is checked out
    # setup: npm ci        # run once in a new worktree, before the agent
    # copy: [.env]         # files that git does not track, copied into a new worktree
    # stuck_after: 15m     # busy without progress for this long asks for your attention

roles:                     # beside the built-in ones: coder, operator and manager
  shell:
    description: Runs each task as a shell script; needs no model
    agent: command
    command: [sh, -s]      # any program: it gets the task on stdin and in FLEET_TASK
  # coder:                 # change a built-in role key by key
  #   env_from: [GITHUB_TOKEN]
`;
}

const WORDS_OF_YAML = /^(?:true|false|null|yes|no|on|off|y|n)$/i;

/** Plain where that is safe, quoted where not: a double-quoted text of JSON is one of YAML as well. */
function yamlText(text: string): string {
  return /^[A-Za-z.][\w./-]*$/.test(text) && !WORDS_OF_YAML.test(text) ? text : JSON.stringify(text);
}
