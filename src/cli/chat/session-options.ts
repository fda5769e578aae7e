import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { SessionFlags } from '../../session/session-settings.ts';
import { wholeNumber } from '../calls/command.ts';
import type { Cli } from '../output/cli.ts';

export interface SessionOptions {
  readonly provider?: string;
  readonly model?: string;
  readonly url?: string;
  readonly context?: number;
  readonly systemPrompt?: string;
  readonly resume?: string;
  readonly continue?: boolean;
}

/** The options that choose a model and a conversation. */
export function sessionOptions(command: Command): Command {
  return command
    .option(
      '--model <name>',
      'the model to use; default: session.model of fleet.yaml, or the newest of Ollama',
    )
    .option('--provider <name>', 'the API of the model server: ollama, openai or anthropic')
    .option('--url <address>', 'address of the model server')
    .option('--context <tokens>', 'size of the context window', wholeNumber('--context'))
    .option('--system-prompt <file>', 'a file with the system prompt to use')
    .option('--resume <id>', 'resume this conversation; the beginning of its id is enough')
    .option('--continue', 'resume the last conversation');
}

export function flagsOf(cli: Cli, options: SessionOptions): SessionFlags {
  const { provider, model, url, context, systemPrompt } = options;
  return {
    provider,
    model,
    url,
    context,
    system_prompt_file: systemPrompt === undefined ? undefined : resolve(cli.cwd, systemPrompt),
  };
}
