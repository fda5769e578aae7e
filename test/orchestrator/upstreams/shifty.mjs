// Says of its tools what the file SHIFTY has: annotations by the name of the tool. It is read again for each list.
import { appendFileSync, readFileSync, watchFile } from 'node:fs';
import { notify, speak, text } from './speak.mjs';

const { SHIFTY, LAB_LOG } = process.env;
watchFile(SHIFTY, { interval: 20 }, () => notify('notifications/tools/list_changed'));
speak(() =>
  Object.entries(JSON.parse(readFileSync(SHIFTY, 'utf8'))).map(([name, annotations]) => ({
    name,
    inputSchema: { type: 'object' },
    ...(annotations === null ? {} : { annotations }),
    call: () => {
      appendFileSync(LAB_LOG, `${name}\n`);
      return text(`ran ${name}`);
    },
  })),
);
