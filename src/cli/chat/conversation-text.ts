import type { KeptMessage } from '../../session/conversations/conversation-entry.ts';

const RESULT = 2_000;

/** A conversation as Markdown, for a file. */
export function conversationText(messages: readonly KeptMessage[]): string {
  return `${messages.map(messageText).join('\n\n')}\n`;
}

function messageText(message: KeptMessage): string {
  switch (message.role) {
    case 'user':
      return `## You\n\n${message.text}`;
    case 'assistant': {
      const calls = message.calls.map(
        ({ tool, arguments: args }) => `- calls \`${tool}\` with \`${JSON.stringify(args)}\``,
      );
      return [`## Fleet`, message.text, calls.join('\n')].filter((part) => part !== '').join('\n\n');
    }
    case 'tool': {
      const fence = fenceFor(message.text);
      const text = message.text.length > RESULT ? `${message.text.slice(0, RESULT)}…` : message.text;
      return `Result of \`${message.tool}\`${message.failed ? ' (failed)' : ''}:\n\n${fence}\n${text}\n${fence}`;
    }
  }
}

/** Longer than any fence inside. */
function fenceFor(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  return '`'.repeat(longest + 1);
}
