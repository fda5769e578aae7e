import type { Cli } from '../output/cli.ts';

/** The terminal of the caller, or its streams, as a program elsewhere uses it. */
export function terminalEnds({ stdin, out }: Pick<Cli, 'stdin' | 'out'>) {
  const isTerminal = stdin.isTTY && out.isTerminal;
  const size = () => ({ width: process.stdout.columns, height: process.stdout.rows });
  return {
    isTerminal,
    write: (bytes: Buffer) => void process.stdout.write(bytes),
    ...(isTerminal ? { size } : {}),
    follow: ({
      typed,
      resized,
    }: {
      typed(text: string): void;
      resized(to: ReturnType<typeof size>): void;
    }) => {
      if (!isTerminal) return { [Symbol.dispose]: () => {} };
      const onData = (text: string): void => typed(text);
      const onResize = (): void => resized(size());
      stdin.setRawMode(true);
      stdin.setEncoding('utf8').on('data', onData).resume();
      process.stdout.on('resize', onResize);
      return {
        [Symbol.dispose]: () => {
          stdin.setRawMode(false);
          stdin.off('data', onData).pause();
          process.stdout.off('resize', onResize);
        },
      };
    },
  };
}
