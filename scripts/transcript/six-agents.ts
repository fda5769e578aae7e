/** The library that six agents work on. */
export const LIBRARY = 'idna==3.4';

export interface ScriptedAgent {
  readonly name: string;
  /** What a person would ask for. */
  readonly wish: string;
  /** What the agent does about it. */
  readonly script: string;
}

const commit = (subject: string): string => `git add -A && git commit --quiet -m '${subject}'`;
const rename = "sed -i 's/valid_string_length/valid_domain_length/' idna/__init__.py idna/core.py";
const refused = (text: string): string =>
  `sed -i "s/'IDNA 2008 does not utilise nameprep protocol'/${text}/" idna/compat.py`;

/** `kay` and `milo` change the same line. `papi` renames a function for which `sony` writes the first test. */
export const SIX_AGENTS: readonly ScriptedAgent[] = [
  {
    name: 'ada',
    wish: 'Say in the README how the tests are run',
    script: `printf '\\nRun the tests with "python3 -m unittest discover -s tests".\\n' >> README.rst; ${commit('Say how the tests are run')}`,
  },
  {
    name: 'kay',
    wish: 'Let the error of nameprep name the older standard',
    script: `${refused("'nameprep is part of IDNA 2003, not of IDNA 2008'")}; ${commit('Name the older standard')}`,
  },
  {
    name: 'milo',
    wish: 'Let the error of nameprep quote its input',
    script: `${refused("f'IDNA 2008 does not utilise nameprep protocol: {s!r}'")}; ${commit('Quote the input of nameprep')}`,
  },
  {
    name: 'sony',
    wish: 'Write a test for valid_string_length',
    script: `cat > tests/test_length.py <<'END'
import unittest

import idna


class LengthTests(unittest.TestCase):

    def test_valid_string_length(self):
        self.assertTrue(idna.valid_string_length('a' * 253, False))
        self.assertFalse(idna.valid_string_length('a' * 254, False))
END
${commit('Test the length of a domain')}`,
  },
  {
    name: 'papi',
    wish: 'Rename valid_string_length to valid_domain_length',
    script: `${rename}; ${commit('Rename valid_string_length to valid_domain_length')}`,
  },
  {
    name: 'zoe',
    wish: 'Add intranges_size, with a test',
    script: `cat >> idna/intranges.py <<'END'


def intranges_size(ranges: Tuple[int, ...]) -> int:
    """How many integers the ranges in \`ranges\` hold."""
    return sum(right - left for left, right in map(_decode_range, ranges))
END
cat > tests/test_intranges_size.py <<'END'
import unittest

from idna.intranges import intranges_from_list, intranges_size


class SizeTests(unittest.TestCase):

    def test_size(self):
        self.assertEqual(intranges_size(intranges_from_list([1, 2, 3, 7])), 4)
END
${commit('Add intranges_size')}`,
  },
];

/** How `milo` resolves its conflict: by what both wanted. */
export const RESOLUTION = `git merge --quiet main
git checkout --quiet --theirs idna/compat.py
sed -i "s/'nameprep is part of IDNA 2003, not of IDNA 2008'/f'nameprep is part of IDNA 2003, not of IDNA 2008: {s!r}'/" idna/compat.py
git add idna/compat.py && git commit --quiet -m 'Merge main: quote the input in the new text'
`;
