const COLOURS = new RegExp(String.raw`\u001B\[[\d;]*m`, 'g');

/** Text of a program as a terminal leaves it: what is printed after a carriage return stands in place of what was before it
 *  in its line, as progress bars do. Colours that were set before stay. */
export function lastStates(text: string): string {
  if (!text.includes('\r')) return text;
  return text
    .replaceAll(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => (line.includes('\r') ? lastState(line) : line))
    .join('\n');
}

function lastState(line: string): string {
  const states = line.split('\r');
  const at = Math.max(
    0,
    states.findLastIndex((state) => state !== ''),
  );
  const colours = states.slice(0, at).flatMap((state) => state.match(COLOURS) ?? []);
  return colours.join('') + (states[at] ?? '');
}
