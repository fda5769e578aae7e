/** The configuration as the documentation shows it. */
export const EXAMPLE = `# fleet.yaml
version: 1
backend: local
backends:
  work: { type: coder, url: "https://coder.example.com", token_env: WORK_CODER_TOKEN }
projects:
  Setup:
    repository: ./setup
    base: main
    description: Development container for coding tasks
    default_role: coder
    stuck_after: 15m
    setup: npm ci
    copy: [.env]
roles:
  coder:
    description: Writes code, implements features, fixes bugs
    agent: claude
    system_prompt: You are an engineer
    model: opus
    env: { SOME_VARIABLE: value }
    env_from: [GITHUB_TOKEN]
    on_crash: interrupt
  checker:
    agent: command
    command: [npm, test]
mcpServers:
  files: { command: npx, args: [-y, some-server, .], approve: destructive }
  remote: { url: "https://example.com/mcp", headers: { Authorization: "Bearer \${SOME_TOKEN}" } }
`;
