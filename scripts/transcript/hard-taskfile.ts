/** Ten fields that are hard: a number, text, nothing, one that fails, one that hangs, one without end, one whose program is
 *  missing, JSON, apostrophes, and one whose meta is wrong. */
export const HARD_TASKFILE = `version: '3'
tasks:
  number: { desc: The number of the pull request., meta: { include_in_list: true }, cmd: echo 810 }
  text: { desc: Its status., meta: { include_in_list: true }, cmd: 'echo "  open  "' }
  empty: { desc: Prints nothing., meta: { include_in_list: true }, cmd: 'true' }
  failing: { desc: Fails., meta: { include_in_list: true }, cmd: 'echo no pull request here >&2; exit 3' }
  hanging: { desc: Never ends., meta: { include_in_list: false }, cmd: 'sleep 3600 & sleep 3600' }
  huge: { desc: Prints without end., meta: { include_in_list: false }, cmd: 'yes huge' }
  missing: { desc: Its program is missing., meta: { include_in_list: false }, cmd: no-such-program --version }
  json: { desc: Two values., meta: { include_in_list: false }, cmd: 'echo "{\\"tests\\": 12, \\"green\\": true}"' }
  "it's": { desc: It's got apostrophes., meta: { include_in_list: false }, cmd: 'echo "it''s ''fine''"' }
  invalid: { desc: Its meta is wrong., meta: { include_in_list: maybe }, cmd: echo still here }
`;
