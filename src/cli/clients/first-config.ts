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
  return `# The projects of this fleet and the roles of its agents. \`fleet doctor\` checks this file.
version: 1

projects:
  ${yamlText(project)}:
    repository: ${yamlText(repository).padEnd(10)} # each agent gets a clone of its own with branch fleet/<name>
    default_role: shell    # the role of agents that are created without --role
    # base: main           # where new branches start; default: the checked-out commit
    # setup: npm ci        # run once in a new workspace, before the agent
    # copy: [.env]         # files that git does not track, copied into a new workspace
    # stuck_after: 15m     # a busy agent without progress for this long needs attention

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
