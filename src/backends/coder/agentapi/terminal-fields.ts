import { parse } from 'yaml';
import { FieldBudget } from '../../../domain/metadata/field-budget.ts';
import { fieldValue } from '../../../domain/metadata/field-value.ts';
import type { MetadataField, MetadataFields } from '../../../domain/metadata/taskfile-metadata.ts';
import { shellWord } from '../../../domain/values/text.ts';
import { describedField, nameFields } from '../../../runner/metadata/collect-fields.ts';
import { fieldOf } from '../../../runner/metadata/read-taskfile.ts';
import { TASK_PROGRAMS } from '../../../runner/metadata/task-programs.ts';
import { TASKFILE_NAMES } from '../../../runner/metadata/taskfile-names.ts';
import type { Ran } from '../client/run-in-terminal.ts';

const FIELDS_LIMIT = 64;
const SECONDS = 3;
const NOT_RUN = 'it could not be run in the workspace';

/** The fields of the Taskfile in the directory of a workspace's agent, without those of files that it includes, run over
 *  its terminal; undefined when there is none, or nothing can be run there. */
export async function terminalFields(
  run: (script: string) => Promise<Ran | undefined>,
): Promise<MetadataFields | undefined> {
  const read = await run(
    `for f in ${TASKFILE_NAMES.join(' ')}; do [ -f "$f" ] && { head -c 1048576 "$f"; exit 0; }; done; exit 3`,
  );
  if (read === undefined || read.code !== 0) return undefined;
  const named = nameFields(fieldsIn(read.stdout).slice(0, FIELDS_LIMIT));
  if (named.length === 0) return {};
  const ran = await run(scriptFor(named.map(({ found }) => found.task)));
  const answers = (ran?.stdout ?? '').split('\n');
  const budget = new FieldBudget();
  return Object.fromEntries(
    named.map((field, index): [string, MetadataField] => {
      const [code, text = ''] = (answers[index] ?? '').split(' ');
      const value = Buffer.from(text, 'base64').toString('utf8');
      const result =
        code === '0' ? fieldValue(value) : { value: null, error: code ? `exit code ${code}` : NOT_RUN };
      return [field.name, describedField(field, budget.take(field.name, result))];
    }),
  );
}

function fieldsIn(text: string) {
  const content: unknown = parse(text, { merge: true, logLevel: 'error' });
  const tasks = content !== null && typeof content === 'object' && 'tasks' in content ? content.tasks : null;
  if (tasks === null || typeof tasks !== 'object') return [];
  return Object.entries(tasks)
    .flatMap(([name, task]) => fieldOf(name, task))
    .filter(({ task }) => !task.startsWith('-') && !task.includes('='));
}

/** All side by side; one line for each, in their order. */
function scriptFor(tasks: readonly string[]): string {
  const runs = tasks.map((task, index) => `one ${index} ${shellWord(task)} &`);
  return `p=$(${TASK_PROGRAMS.map((name) => `command -v ${name}`).join(' || ')}) || exit 4
k=''; command -v timeout >/dev/null 2>&1 && k='timeout -k 1 ${SECONDS}'
d=$(mktemp -d)
one() { $k "$p" --silent --exit-code --color=false --output=interleaved "$2" >"$d/$1.o" 2>/dev/null </dev/null; echo $? >"$d/$1.c"; }
${runs.join('\n')}
wait
i=0; while [ $i -lt ${tasks.length} ]; do printf '%s %s\\n' "$(cat "$d/$i.c")" "$(head -c 65536 "$d/$i.o" | base64 | tr -d '\\n')"; i=$((i+1)); done
rm -rf "$d"
`;
}
