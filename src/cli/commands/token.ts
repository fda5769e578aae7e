import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { FleetError } from '../../domain/errors.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import { readOrMakeToken, tokenFile } from '../../server/auth.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../command.ts';
import { refuseUnknownSubcommand } from '../subcommand.ts';
import { tokenBookCommands } from './token-book.ts';

interface TokenOptions {
  readonly show?: boolean;
  readonly rotate?: boolean;
  readonly json?: boolean;
}

export function tokenCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Say where the bearer token of this fleet is (it is made when it is not there yet), or make tokens for others.',
    )
    .option('--show', 'print the token itself')
    .option('--rotate', 'make a new one; a running fleet serve takes it when it is started again');
  examples(jsonOption(command), [
    ['fleet token', 'the file that holds it'],
    ['curl -H "Authorization: Bearer $(fleet token --show)" …', 'use it'],
    ['fleet token --rotate', 'the old one is good no more'],
    ['fleet token create ci --scopes read', 'another one, that may only look'],
  ]);
  tokenBookCommands(command, cli);
  command.action((options: TokenOptions) => {
    refuseInsideAgent(cli, 'fleet token');
    refuseUnknownSubcommand(command);
    const home = resolveHome(cli.env);
    const fromVariable = (cli.env['FLEET_TOKEN'] ?? '') !== '';
    if (options.rotate === true) rotate(home, fromVariable);
    const token = readOrMakeToken(home, cli.env);
    const place = fromVariable ? { variable: 'FLEET_TOKEN' } : { token_file: tokenFile(home) };
    if (options.json === true) return cli.out.json({ ...place, ...(options.show === true ? { token } : {}) });
    if (options.show === true) return cli.out.line(token);
    cli.out.line(fromVariable ? 'The token is that of the variable FLEET_TOKEN.' : tokenFile(home));
    if (options.rotate === true) cli.err.line('A new token was made. Start fleet serve again where it runs.');
  });
}

function rotate(home: string, fromVariable: boolean): void {
  if (fromVariable) {
    throw new FleetError(
      'INVALID_INPUT',
      'The token comes from FLEET_TOKEN: change that variable, or unset it first.',
      {
        field: 'rotate',
      },
    );
  }
  writeFileAtomic(tokenFile(ensureHome(home)), `${randomBytes(32).toString('base64url')}\n`);
}
