const BLOCK = 512;

/** A tar archive of a few files, the same bytes for the same files. */
export function makeTar(files: Readonly<Record<string, string>>): Uint8Array {
  const parts = Object.entries(files)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .flatMap(([name, text]) => {
      const content = Buffer.from(text);
      return [
        headerOf(name, content.length),
        content,
        Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK),
      ];
    });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function headerOf(name: string, size: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  header.write(name, 0, 100);
  header.write('0000644\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  // The sum is taken with blanks in its own place.
  header.write('        ', 148);
  header.write('0', 156);
  header.write('ustar\0', 257);
  header.write('00', 263);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}
