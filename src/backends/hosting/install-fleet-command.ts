import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ERROR_TABLE, installing } from '../../domain/values/errors.ts';
import { LAUNCHER } from '../../platform/package.ts';

/** `fleet` on the agent's PATH is this very Fleet, whatever else is installed. While that is installed again it is not
 *  there, and the agent gets that error in the form that it asked for. */
export function installFleetCommand(directory: string): void {
  const file = join(directory, 'fleet');
  const [node, launcher] = [quoted(process.execPath), quoted(LAUNCHER)];
  const error = installing();
  mkdirSync(directory, { recursive: true, mode: 0o755 });
  writeFileSync(
    file,
    `#!/bin/sh
[ -x ${node} ] && [ -f ${launcher} ] && exec ${node} ${launcher} "$@"
case " $* " in
" call "* | *" --json "*) printf '%s\\n' ${quoted(JSON.stringify(error.toBody()))} ;;
*) printf '%s\\n' ${quoted(`fleet: ${error.message}`)} >&2 ;;
esac
exit ${ERROR_TABLE[error.code].exit}
`,
  );
  chmodSync(file, 0o755);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
