import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import { ensureHome, resolveHome } from '../../platform/home.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import { readOrMakeToken, tokenFile } from '../../server/http/auth.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, refuseInsideAgent } from '../calls/command.ts';
import { refuseUnknownSubcommand } from '../calls/subcommand.ts';
import { tokenStoreCommands } from './token-store-commands.ts';

interface TokenOptions {
  readonly show?: boolean;
  readonly rotate?: boolean;
  readonly json?: boolean;
}

export function tokenCommand(command: Command, cli: Cli): void {
  command
    .description(
      'Show where the access token of this fleet is stored (it is created if it does not exist), or manage more tokens.',
    )
    .option('--show', 'print the token itself')
    .option('--rotate', 'replace the token; a running fleet serve uses the new one after a restart');
  examples(jsonOption(command), [
    ['fleet token', 'the file that holds it'],
    ['curl -H "Authorization: Bearer $(fleet token --show)" …', 'use the token'],
    ['fleet token --rotate', 'the old token is revoked'],
    ['fleet token create ci --scopes read', 'a second token that can only read'],
  ]);
  tokenStoreCommands(command, cli);
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
