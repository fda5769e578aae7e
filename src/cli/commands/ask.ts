import type { Command } from 'commander';
import { ERROR_TABLE } from '../../domain/values/errors.ts';
import type { SessionEvent } from '../../session/session-event.ts';
import type { SessionAnswer, SessionStart } from '../../session/session.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import { examples, jsonOption, refuseInsideAgent, repeated } from '../calls/command.ts';
import { AnswerPrinter } from '../chat/answer-printer.ts';
import { askLine, dropTyped, type AskQuestion } from '../chat/ask-line.ts';
import { conversationOf, openChat } from '../chat/open-chat.ts';
import { readMessage } from '../chat/read-message.ts';
import { sessionOptions, type SessionOptions } from '../chat/session-options.ts';
import { startSession } from '../chat/start-session.ts';
import { TerminalApprover } from '../chat/terminal-approver.ts';
import type { Cli } from '../output/cli.ts';
import { printableLine } from '../output/printable.ts';

interface AskOptions extends SessionOptions {
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly yes?: readonly string[];
}

export function askCommand(command: Command, cli: Cli): void {
  command
    .description('Ask the controlling AI one question. It can use the fleet and every connected MCP server.')
    .argument('[message...]', 'the message; input from a pipe is added to it, and - means stdin')
    .option('-y, --yes <tool>', 'allow this destructive tool; can be repeated', repeated)
    .option('-q, --quiet', 'print only the answer');
  sessionOptions(jsonOption(command));
  examples(command, [
    ['fleet ask "Which agents need attention, and why?"', 'one question'],
    ['git diff | fleet ask "Give the review of this to a new agent on Setup"', 'with input from a pipe'],
    ['fleet ask --yes delete_agent "Delete every idle agent"', 'with a destructive tool'],
  ]);
  command.action(async (words: readonly string[], options: AskOptions) => {
    refuseInsideAgent(cli, 'fleet ask');
    const signal = cli.untilStopped();
    const message = await readMessage(cli, words);
    await using chat = await openChat(cli, options);
    const json = options.json === true;
    const recorder = new CallRecorder();
    using printer = new AnswerPrinter({
      out: cli.out,
      side: cli.err,
      sideShown: !json && options.quiet !== true,
    });
    const canAsk = cli.stdin.isTTY && cli.err.isTerminal;
    const question: AskQuestion | undefined = canAsk
      ? (prompt, during) => askLine(cli, prompt, during)
      : undefined;
    const approver = new TerminalApprover({
      out: cli.err,
      allowed: new Set(options.yes ?? []),
      before: async () => {
        printer.pause();
        await dropTyped(cli);
      },
      question,
      onRefused: (reason) => {
        cli.exitCode = ERROR_TABLE.APPROVAL_REQUIRED.exit;
        printer.finish();
        cli.err.line(`fleet: ${printableLine(reason)}`);
      },
    });
    const emit = (event: SessionEvent): void => {
      recorder.note(event);
      if (!json) printer.show(event);
      else if (event.type === 'notice') cli.err.line(`fleet: ${printableLine(event.text)}`);
    };
    const { session, start } = await startSession(
      {
        cli,
        question,
        open: () => chat.open({ approver, emit, conversation_id: conversationOf(chat, options) }),
      },
      signal,
    );
    await using open = session;
    if (!start.tools)
      cli.err.line(
        `fleet: the model ${printableLine(start.model)} cannot call tools; it can only answer in text.`,
      );
    const answer = await open.send(message, signal);
    printer.finish();
    if (json) cli.out.json(documentOf(open.log.id, { start, answer, recorder }));
  });
}

interface Asked {
  readonly start: SessionStart;
  readonly answer: SessionAnswer;
  readonly recorder: CallRecorder;
}

function documentOf(conversation_id: string | null, { start, answer, recorder }: Asked): JsonObject {
  const { text, rounds, stopped, usage, took_ms } = answer;
  return {
    conversation_id,
    model: start.model,
    answer: text,
    rounds,
    stopped,
    calls: recorder.calls,
    notices: recorder.notices,
    usage,
    took_ms,
  };
}

/** The tool calls and notices of an answer, for the JSON document. */
class CallRecorder {
  readonly calls: JsonObject[] = [];
  readonly notices: string[] = [];
  readonly #open = new Map<string, JsonObject>();

  note(event: SessionEvent): void {
    if (event.type === 'notice') this.notices.push(event.text);
    if (event.type === 'call') this.#open.set(event.id, event.arguments);
    if (event.type !== 'result') return;
    const { id, tool, failed, took_ms, text } = event;
    this.calls.push({
      tool,
      arguments: this.#open.get(id) ?? {},
      failed,
      took_ms,
      ...(failed ? { error: text } : {}),
    });
  }
}
