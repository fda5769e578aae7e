import { writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { nearest } from '../../domain/values/text.ts';
import type { SessionSettings } from '../../session/session-settings.ts';
import type { Session, SessionStart } from '../../session/session.ts';
import type { Cli } from '../output/cli.ts';
import { cutToWidth } from '../output/display-width.ts';
import { printableLine } from '../output/printable.ts';
import { wrapLine } from '../output/wrap-line.ts';
import { conversationText } from './conversation-text.ts';

export interface SlashPlace {
  readonly cli: Cli;
  readonly session: Session;
  readonly start: SessionStart;
  readonly settings: SessionSettings;
}

/** What the loop does after a command. */
export type Next =
  | { readonly kind: 'stay' }
  | { readonly kind: 'leave' }
  | { readonly kind: 'new' }
  | { readonly kind: 'model'; readonly model: string };

const STAY: Next = { kind: 'stay' };

const HELP: Readonly<Record<string, string>> = {
  '/help': 'list these commands',
  '/tools [words]': 'list the tools of the model',
  '/model [name]': 'show or change the model',
  '/context': 'show how the context is used',
  '/usage': 'show tokens, time and cost so far',
  '/save [file]': 'write the conversation to a Markdown file',
  '/new': 'start a new conversation',
  '/quit': 'leave; Ctrl-D does the same',
};
const HELP_INDENT = 17;
const NAMES = Object.keys(HELP).map((line) => line.split(' ')[0] ?? '');

/** Runs a line that begins with a slash. */
export async function slashCommand(line: string, place: SlashPlace): Promise<Next> {
  const [name = '', ...words] = line.trim().split(/\s+/);
  const { out } = place.cli;
  switch (name) {
    case '/help':
      for (const [command, description] of Object.entries(HELP)) {
        const [first = '', ...rest] = wrapLine(description, out.columns - HELP_INDENT);
        out.line(command.padEnd(HELP_INDENT) + first);
        for (const line of rest) out.line(' '.repeat(HELP_INDENT) + line);
      }
      return STAY;
    case '/tools':
      await showTools(place, words);
      return STAY;
    case '/model':
      if (words[0] !== undefined) return { kind: 'model', model: words[0] };
      for (const each of wrapLine(startLine(place.start), out.columns)) out.line(each);
      return STAY;
    case '/context':
      await showContext(place);
      return STAY;
    case '/usage':
      showUsage(place);
      return STAY;
    case '/save':
      save(place, words.join(' '));
      return STAY;
    case '/new':
      return { kind: 'new' };
    case '/quit':
    case '/exit':
      return { kind: 'leave' };
    default: {
      const hint = nearest(name, NAMES);
      const meant = hint === undefined ? 'Type /help.' : `Did you mean ${hint}?`;
      throw new FleetError('INVALID_INPUT', `There is no command ${quote(name)}. ${meant}`);
    }
  }
}

/** The model and its window, as they are printed at the start. */
export function startLine({ model, provider, url, window, window_limited_by, tools }: SessionStart): string {
  const why =
    window_limited_by === null
      ? ''
      : window_limited_by === 'model'
        ? ' (the limit of the model)'
        : ' (limited by the memory of this machine)';
  const talk = tools ? '' : ' This model cannot call tools; it can only answer in text.';
  return `${printableLine(model)} on ${provider} at ${url}, context ${window} tokens${why}.${talk}`;
}

async function showTools({ cli, session }: SlashPlace, words: readonly string[]): Promise<void> {
  const tools = await session.tools();
  const wanted = words.map((word) => word.toLowerCase());
  const shown = tools.filter(({ name, description }) =>
    wanted.every((word) => `${name} ${description}`.toLowerCase().includes(word)),
  );
  const { columns, paint } = cli.out;
  for (const { name, description } of shown) {
    const line = cutToWidth(`${name}  ${printableLine(description)}`, Math.min(columns, 100));
    cli.out.line(line.startsWith(name) ? paint('bold', name) + line.slice(name.length) : line);
  }
  cli.out.line(`${shown.length} of ${tools.length} tools`);
}

async function showContext({ cli, session }: SlashPlace): Promise<void> {
  const { window, system, tools, messages, answer, free, searches } = await session.contextUse();
  const rows: readonly (readonly [string, number])[] = [
    ['system prompt', system],
    [searches ? 'tools (searched)' : 'tools', tools],
    ['messages', messages],
    ['answer (at most)', answer],
    ['free', free],
  ];
  for (const [name, tokens] of rows) {
    const share = Math.round((tokens / window) * 100);
    cli.out.line(`${name.padEnd(16)} ${String(tokens).padStart(7)} ${String(share).padStart(3)} %`);
  }
  cli.out.line(`${'window'.padEnd(16)} ${String(window).padStart(7)} tokens, estimated`);
}

function showUsage({ cli, session, settings: { prices } }: SlashPlace): void {
  const { prompt, answer, took_ms, answers } = session.log.conversation.usage;
  const cost =
    prices === undefined
      ? 'not known; set session.prices in fleet.yaml'
      : `$${((prompt * prices.input + answer * prices.output) / 1_000_000).toFixed(4)}`;
  cli.out.line(`messages  ${answers}`);
  cli.out.line(`tokens    ${prompt} in, ${answer} out`);
  cli.out.line(`time      ${(took_ms / 1000).toFixed(1)} s`);
  cli.out.line(`cost      ${cost}`);
}

function save({ cli, session }: SlashPlace, given: string): void {
  const file = given === '' ? `fleet-chat-${(session.log.id ?? 'new').slice(0, 8)}.md` : given;
  const path = resolve(cli.cwd, file);
  try {
    writeFileSync(path, conversationText(session.log.conversation.messages), { flag: 'wx', mode: 0o600 });
  } catch (cause) {
    const exists = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
    if (exists) {
      const message = `The file ${quote(file)} exists already. Give another name: /save FILE.`;
      throw new FleetError('CONFLICT', message, {}, cause);
    }
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError('INVALID_INPUT', `The file ${quote(file)} cannot be written: ${why}.`, {}, cause);
  }
  cli.out.line(`Saved to ${printableLine(path)}`);
}
