import type { scriptText } from '../support/model-server/model-script.ts';

type Step = Parameters<typeof scriptText>[0][number];

/** How each agent is told to write a file. */
export const WRITE: Readonly<Record<string, (file: string, content: string) => Step>> = {
  claude: (file, content) => ({ tool: 'Write', input: { file_path: file, content } }),
  codex: (file, content) => ({ tool: 'exec_command', input: { cmd: `printf '${content}' > '${file}'` } }),
  opencode: (file, content) => ({ tool: 'write', input: { filePath: file, content } }),
  qwen: (file, content) => ({ tool: 'write_file', input: { file_path: file, content } }),
};
