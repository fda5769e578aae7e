import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { lineOfPatch } from '../../domain/review/review-comment.ts';
import { FleetError, toFleetError } from '../../domain/values/errors.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { openSession, type Session } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { printable, printableLine } from '../output/printable.ts';
import { parseReview, quoteDiff, type WrittenReview } from '../review/parse-review.ts';

interface ReviewFlags {
  readonly list?: boolean;
  readonly send?: boolean;
  readonly message?: string;
  readonly remove?: string;
  readonly queue?: boolean;
  readonly json?: boolean;
}

const PATCH_BYTES = 1_000_000;

export function reviewCommand(command: Command, cli: Cli): void {
  command
    .description(
      "Comment on an agent's work in your editor, under the lines of its diff. The comments are kept until they are sent to the agent as one task.",
    )
    .argument('<name>', 'name of the agent')
    .option('--list', 'list the comments that are not sent yet')
    .option('--send', 'send them to the agent as one task')
    .option('-m, --message <text>', 'with --send: what you want to say about all of it')
    .option('--queue', 'with --send: queue the task when the agent is busy')
    .option('--remove <id>', 'remove a comment');
  examples(jsonOption(command), [
    ['fleet review sony', 'write comments in $EDITOR'],
    ['fleet review sony --list', 'comments so far; those whose lines have changed are marked'],
    ["fleet review sony --send -m 'Nearly there'", 'send them'],
  ]);
  command.action(async (name: string, flags: ReviewFlags) => {
    refuseInsideAgent(cli, 'fleet review');
    await using session = await openSession(cli);
    if (flags.remove !== undefined) {
      const answer = await session.call('remove_review_comment', { agent_name: name, id: flags.remove });
      return flags.json === true ? cli.out.json(answer) : cli.out.line('Comment removed.');
    }
    if (flags.list === true) return await list(cli, session, { name, flags });
    if (flags.send === true) return await send(cli, session, { name, flags });
    await write(cli, session, { name, flags });
  });
}

interface Review {
  readonly name: string;
  readonly flags: ReviewFlags;
}

async function list(cli: Cli, session: Session, { name, flags }: Review): Promise<void> {
  const answer = await session.call('list_review_comments', { agent_name: name });
  if (flags.json === true) return cli.out.json(answer);
  if (answer.comments.length === 0) return cli.out.line('No comments.');
  for (const { id, path, line, snippet, text, stale } of answer.comments) {
    const mark = stale ? cli.out.paint('yellow', '  (the line has changed since)') : '';
    cli.out.line(`${cli.out.paint('bold', printableLine(`${path}:${line}`))}  ${id}${mark}`);
    if (snippet !== '') cli.out.line(`  > ${printableLine(snippet)}`);
    for (const each of printable(text).split('\n')) cli.out.line(`  ${each}`);
  }
}

async function send(cli: Cli, session: Session, { name, flags }: Review): Promise<void> {
  const answer = await session.call('send_review', {
    agent_name: name,
    message: flags.message,
    when_busy: flags.queue === true ? 'queue' : undefined,
  });
  if (flags.json === true) return cli.out.json(answer);
  cli.out.line(printableLine(answer.message));
}

async function write(cli: Cli, session: Session, { name, flags }: Review): Promise<void> {
  const diff = await session.call('show_agent_diff', {
    agent_name: name,
    format: 'patch',
    max_bytes: PATCH_BYTES,
  });
  const patch = diff.files.map((file) => file.patch ?? '').join('');
  if (patch === '') return cli.out.line(`${diff.agent_name} has changed nothing that can be commented on.`);
  await edited(quoteDiff(diff.agent_name, printable(patch)), async ({ comments, message }) => {
    for (const comment of comments) {
      const seen = diff.files.find(({ path }) => path === comment.path)?.patch ?? '';
      const snippet = lineOfPatch(seen, comment.side, comment.line) ?? comment.snippet;
      await session.call('add_review_comment', { agent_name: name, ...comment, snippet });
    }
    if (diff.cursor !== null)
      cli.err.line('fleet: the diff is larger than 1 MB; only its beginning was shown.');
    if (comments.length === 0 && message === undefined) return cli.out.line('No comments.');
    if (message !== undefined) return send(cli, session, { name, flags: { ...flags, message } });
    const count = comments.length === 1 ? '1 comment' : `${comments.length} comments`;
    cli.out.line(`${count} added. To send them: fleet review ${diff.agent_name} --send`);
  });
}

/** By the user's editor, in a file that only they can read. What was written stays in it unless it was taken. */
async function edited(text: string, take: (review: WrittenReview) => Promise<void>): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-review-'));
  const file = join(directory, 'REVIEW.diff');
  writeFileSync(file, text, { mode: 0o600 });
  try {
    const editor = process.env['VISUAL'] ?? process.env['EDITOR'] ?? 'vi';
    // As git does: the variable may hold arguments.
    const { status, error } = spawnSync('sh', ['-c', `${editor} "$@"`, editor, file], { stdio: 'inherit' });
    if (error !== undefined || status !== 0)
      throw new FleetError('INVALID_INPUT', `The editor ${editor} failed. Set EDITOR to another one.`, {
        reason: 'editor_failed',
      });
    await take(parseReview(readFileSync(file, 'utf8')));
  } catch (thrown) {
    if (existsSync(file) && readFileSync(file, 'utf8') !== text) throw withFile(thrown, file);
    rmSync(directory, { recursive: true, force: true });
    throw thrown;
  }
  rmSync(directory, { recursive: true, force: true });
}

function withFile(thrown: unknown, file: string): FleetError {
  const { code, message, details } = toFleetError(thrown);
  return new FleetError(code, `${message} What you wrote is in ${file}`, { ...details, file }, thrown);
}
