import { Cli } from './output/cli.ts';
import { reportFailure } from './output/exit.ts';
import { makeProgram } from './program.ts';

/** One command line, from its words to its exit code. */
export async function runCli(words: readonly string[], cli: Cli = new Cli()): Promise<number> {
  cli.json = wantsJson(words);
  try {
    await makeProgram(cli).parseAsync([...helpLast(words)], { from: 'user' });
    return cli.stopped?.exitCode ?? cli.exitCode;
  } catch (thrown) {
    return cli.stopped?.exitCode ?? reportFailure(cli, thrown);
  }
}

/** Known before the words are parsed, because a parse error must be printed in the right form too. */
function wantsJson(words: readonly string[]): boolean {
  const end = words.indexOf('--');
  const options = end === -1 ? words : words.slice(0, end);
  return options.includes('--json') || options.find((word) => !word.startsWith('-')) === 'call';
}

/** `fleet help list` is `fleet list --help`. */
function helpLast(words: readonly string[]): readonly string[] {
  return words[0] === 'help' ? [...words.slice(1, 2), '--help'] : words;
}
