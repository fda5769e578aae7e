/** Kinds of agents that speak it; `acp` is any other program that does. */
export const ACP_KINDS = ['claude', 'codex', 'opencode', 'qwen', 'gemini', 'acp'];
