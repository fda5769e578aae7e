import type { Command } from 'commander';
import type { Answer } from '../../operations/table.ts';
import { examples, jsonOption, wholeNumber } from '../calls/command.ts';
import { findTask } from '../calls/find-task.ts';
import { openSession, type Session } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import type { Paint } from '../output/output.ts';
import { pageThrough } from '../output/page-through.ts';
import { printable, printableLine } from '../output/printable.ts';

interface DiffOptions {
  readonly task?: string;
  readonly since?: number;
  readonly stat?: boolean;
  readonly json?: boolean;
}

type Diff = Answer<'show_agent_diff'>;
type File = Diff['files'][number];

const PAGE_BYTES = 1_000_000;

export function diffCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Show what an agent changed since it left the base of its project: commits, uncommitted and untracked files.',
    )
    .argument('<name>', 'name of the agent')
    .argument('[paths...]', 'only these files and directories, from the top of the repository')
    .option('--task <id>', 'what this task changed; the beginning of its id is enough')
    .option(
      '--since <n>',
      'what changed since checkpoint n; 0 is where the agent began',
      wholeNumber('--since'),
    )
    .option('--stat', 'only the files, with the numbers of lines');
  examples(jsonOption(command), [
    ['fleet diff sony', 'everything, by your pager'],
    ['fleet diff sony --stat', 'which files, and how much'],
    ['fleet diff sony -- src/login.ts', 'one file'],
    ['fleet diff sony --task 3f2a', 'what one task changed'],
    ['fleet diff sony | git apply', 'take it over without a commit; binary files are left out'],
  ]);
  command.action(async (name: string, paths: readonly string[], options: DiffOptions) => {
    await using session = await openSession(cli);
    const ask = await askerOf(session, { name, paths, options });
    if (options.json === true) return cli.out.json(await whole(ask));
    if (options.stat === true) {
      const diff = await whole(ask);
      cli.out.write(statText(diff, cli.out.paint));
      return tell(cli, diff, []);
    }
    const first = await ask(undefined);
    const shown: File[] = [];
    await pageThrough(cli, patchText(cli, pagesOf(first, ask), shown));
    tell(
      cli,
      { ...first, files: shown },
      shown.filter((each) => each.binary).map(({ path }) => path),
    );
  });
}

type AskPage = (cursor: string | undefined) => Promise<Diff>;

async function askerOf(
  session: Session,
  { name, paths, options }: { name: string; paths: readonly string[]; options: DiffOptions },
): Promise<AskPage> {
  const task_id = options.task === undefined ? undefined : await findTask(session, name, options.task);
  return (cursor) =>
    session.call('show_agent_diff', {
      agent_name: name,
      task_id,
      since: options.since,
      paths: paths.length === 0 ? undefined : [...paths],
      format: options.stat === true ? 'files' : 'patch',
      max_bytes: PAGE_BYTES,
      cursor,
    });
}

async function* pagesOf(first: Diff, ask: AskPage): AsyncGenerator<Diff> {
  let page = first;
  for (;;) {
    yield page;
    if (page.cursor === null) return;
    page = await ask(page.cursor);
  }
}

/** All pages as one; a file that was cut is whole again. */
async function whole(ask: AskPage): Promise<Diff> {
  const first = await ask(undefined);
  const files: File[] = [];
  for await (const page of pagesOf(first, ask)) {
    for (const file of page.files) {
      const last = files.at(-1);
      if (last?.path !== file.path || last.patch === undefined) files.push(file);
      else files[files.length - 1] = joined(last, file);
    }
  }
  return { ...first, files, cursor: null };
}

/** Two parts of the patch of one file. */
function joined(one: File, other: File): File {
  const file = { ...one, patch: `${one.patch ?? ''}${other.patch ?? ''}` };
  if (one.patch_base64 === undefined && other.patch_base64 === undefined) return file;
  return { ...file, patch_base64: Buffer.concat([bytesOf(one), bytesOf(other)]).toString('base64') };
}

function bytesOf({ patch = '', patch_base64 }: File): Buffer {
  return patch_base64 === undefined ? Buffer.from(patch) : Buffer.from(patch_base64, 'base64');
}

/** For a program as git printed it, byte for byte; for a terminal safe to look at. Notes the files, without their patches. */
async function* patchText(
  { out }: Cli,
  pages: AsyncGenerator<Diff>,
  shown: File[],
): AsyncGenerator<string | Uint8Array> {
  for await (const { files } of pages) {
    for (const file of files) {
      const { patch, patch_base64: _, ...rest } = file;
      if (shown.at(-1)?.path !== rest.path) shown.push(rest);
      if (patch !== undefined) yield out.isTerminal ? painted(patch, out.paint) : bytesOf(file);
    }
  }
}

export function painted(patch: string, paint: Paint): string {
  return patch
    .split('\n')
    .map((line) => {
      const text = printable(line);
      if (line.startsWith('+++') || line.startsWith('---')) return paint('bold', text);
      if (line.startsWith('+')) return paint('green', text);
      if (line.startsWith('-')) return paint('red', text);
      if (line.startsWith('@@')) return paint('cyan', text);
      return /^(?:diff|index|new|deleted|old|similarity|rename|copy) /.test(line)
        ? paint('bold', text)
        : text;
    })
    .join('\n');
}

export function statText({ files, insertions, deletions, total_files }: Diff, paint: Paint): string {
  const lines = files.map((file) => {
    const name = file.old_path === null ? file.path : `${file.old_path} → ${file.path}`;
    const change = file.binary
      ? 'binary'
      : `${paint('green', `+${file.insertions}`)} ${paint('red', `-${file.deletions}`)}`;
    const marks = [
      ...(file.status === 'modified' ? [] : [file.status.replace('_', ' ')]),
      ...(file.uncommitted ? ['uncommitted'] : []),
      ...(file.runs_elsewhere ? [paint('yellow', 'runs elsewhere')] : []),
    ];
    return `${printableLine(name)}  ${change}${marks.length === 0 ? '' : `  (${marks.join(', ')})`}\n`;
  });
  const count = total_files === 1 ? '1 file' : `${total_files} files`;
  return `${lines.join('')}${count}, +${insertions} -${deletions}\n`;
}

function tell(cli: Cli, { files, notes = [] }: Diff, binary: readonly string[]): void {
  const elsewhere = files.filter((each) => each.runs_elsewhere).map(({ path }) => path);
  const lines = [
    ...notes,
    ...(binary.length === 0 ? [] : [`Binary files are not in the patch: ${binary.join(', ')}`]),
    ...(elsewhere.length === 0
      ? []
      : [`These take effect for others once they are merged: ${elsewhere.join(', ')}`]),
  ];
  for (const line of lines) cli.err.line(`fleet: ${printableLine(line)}`);
}
