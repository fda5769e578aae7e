// An agent in a terminal that knows two words: `say TEXT`, and `hold FILE`, until ESC or the file. Everything typed is
// shown, as AgentAPI expects it.
import { existsSync } from 'node:fs';

let line = '';
let holding;

function show(text) {
  process.stdout.write(text.replaceAll('\n', '\r\n'));
}

function rest() {
  clearInterval(holding);
  holding = undefined;
  show('\n> ');
}

function submit() {
  const [word, ...words] = line.trim().split(' ');
  line = '';
  show('\n');
  if (word === 'say') show(words.join(' '));
  if (word !== 'hold') return rest();
  let ticks = 0;
  holding = setInterval(() => {
    if (existsSync(words.join(' '))) rest();
    else if (++ticks % 5 === 0) show('.');
  }, 100);
}

process.stdin.setRawMode?.(true);
process.stdin.on('data', (bytes) => {
  // Marks around what was pasted are none of the text.
  const text = bytes.toString('utf8').replaceAll('\x1b[200~', '').replaceAll('\x1b[201~', '');
  for (const character of text) {
    if (character === '\x1b') {
      if (holding !== undefined) rest();
    } else if (character === '\x03') process.exit(130);
    else if (holding !== undefined) continue;
    else if (character === '\r') submit();
    else if (character === '\b' || character === '\x7f') {
      line = line.slice(0, -1);
      show('\b \b');
    } else {
      line += character;
      show(character);
    }
  }
});
show('> ');
