import type { Command } from 'commander';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { CONTRACT_VERSION, packageVersion } from '../../platform/package.ts';

export function versionCommand(command: Command, cli: Cli): void {
  command.description('Show the versions of fleet, of its contract and of Node.');
  examples(jsonOption(command), [['fleet version --json', '{"version", "contract", "node"}']]);
  command.action((options: { readonly json?: boolean }) => {
    const answer = { version: packageVersion(), contract: CONTRACT_VERSION, node: process.versions.node };
    if (options.json === true) cli.out.json(answer);
    else cli.out.line(`fleet ${answer.version} (contract ${answer.contract}, Node ${answer.node})`);
  });
}
