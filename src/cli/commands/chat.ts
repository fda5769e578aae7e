import type { Command } from 'commander';
import { resolveHome } from '../../platform/home.ts';
import { ConversationStore } from '../../session/conversations/conversation-store.ts';
import { examples, jsonOption, refuseInsideAgent, repeated } from '../calls/command.ts';
import { refuseUnknownSubcommand, subcommand } from '../calls/subcommand.ts';
import { ChatHistory } from '../chat/chat-history.ts';
import { ChatLoop } from '../chat/chat-loop.ts';
import { conversationText } from '../chat/conversation-text.ts';
import { conversationOf, openChat } from '../chat/open-chat.ts';
import { sessionOptions, type SessionOptions } from '../chat/session-options.ts';
import type { Cli } from '../output/cli.ts';
import { cutToWidth } from '../output/display-width.ts';
import { printable, printableLine } from '../output/printable.ts';
import { tableTime } from '../output/times.ts';

interface ChatOptions extends SessionOptions {
  readonly yes?: readonly string[];
}

export function chatCommand(command: Command, cli: Cli): void {
  command
    .description('Talk to the controlling AI of this fleet. Conversations are kept.')
    .option('-y, --yes <tool>', 'allow this destructive tool without asking; can be repeated', repeated);
  sessionOptions(command);
  examples(command, [
    ['fleet chat', 'a new conversation'],
    ['fleet chat --continue', 'resume the last one'],
    ['fleet chat --provider openai --url http://127.0.0.1:8000/v1 --model my-model', 'another model server'],
  ]);
  listCommand(subcommand(command, 'list', 'List the conversations, the newest first.'), cli);
  showCommand(subcommand(command, 'show', 'Print a conversation as Markdown.'), cli);
  deleteCommand(subcommand(command, 'delete', 'Delete conversations.'), cli);
  command.action(async (options: ChatOptions) => {
    refuseInsideAgent(cli, 'fleet chat');
    refuseUnknownSubcommand(command);
    await using chat = await openChat(cli, options);
    const id = conversationOf(chat, options);
    const history = new ChatHistory(chat.conversations.home);
    await new ChatLoop(cli, chat, { history, yes: options.yes ?? [] }).run(id);
  });
}

function listCommand(command: Command, cli: Cli): void {
  jsonOption(command).action((options: { readonly json?: boolean }) => {
    const conversations = storeOf(cli, 'fleet chat list').list();
    if (options.json === true) return cli.out.json({ conversations, total_count: conversations.length });
    if (conversations.length === 0) return cli.out.line('There are no conversations.');
    const now = Date.now();
    for (const { id, title, updated_at, messages } of conversations) {
      const line = `${id.slice(0, 8)}  ${tableTime(updated_at, now)}  ${String(messages).padStart(3)}  ${printableLine(title)}`;
      cli.out.line(cutToWidth(line, cli.out.columns));
    }
  });
}

function showCommand(command: Command, cli: Cli): void {
  jsonOption(command)
    .argument('<id>', 'id of the conversation; its beginning is enough')
    .action((id: string, options: { readonly json?: boolean }) => {
      const store = storeOf(cli, 'fleet chat show');
      const shown = store.show(store.resolve(id));
      if (options.json === true) return cli.out.json(shown);
      cli.out.write(printable(conversationText(shown.history)));
    });
}

function deleteCommand(command: Command, cli: Cli): void {
  jsonOption(command)
    .argument('<id...>', 'ids of conversations; the beginning of each is enough')
    .action((ids: readonly string[], options: { readonly json?: boolean }) => {
      const store = storeOf(cli, 'fleet chat delete');
      const deleted = ids.map((id) => store.resolve(id));
      for (const id of deleted) store.delete(id);
      if (options.json === true) return cli.out.json({ deleted });
      for (const id of deleted) cli.out.line(`Deleted ${id}`);
    });
}

function storeOf(cli: Cli, what: string): ConversationStore {
  refuseInsideAgent(cli, what);
  return new ConversationStore(resolveHome(cli.env));
}
