// A git server over ssh: git-ssh.cjs SSH2 HOST_KEY PUBLIC_KEY. It lets in whoever has the key; prints its port.
const { spawn } = require('node:child_process');
const { readFileSync } = require('node:fs');

const [library, hostKey, publicKey] = process.argv.slice(2);
const { Server, utils } = require(library);
const allowed = utils.parseKey(readFileSync(publicKey));

const server = new Server({ hostKeys: [readFileSync(hostKey)] }, (client) => {
  client.on('error', () => {});
  client.on('authentication', (context) => {
    const isKey = context.method === 'publickey' && context.key.data.equals(allowed.getPublicSSH());
    const isSigned =
      isKey &&
      (context.signature === undefined ||
        allowed.verify(context.blob, context.signature, context.hashAlgo) === true);
    return isSigned ? context.accept() : context.reject(['publickey']);
  });
  client.on('session', (accept) => {
    accept().on('exec', (acceptExec, _reject, { command }) => {
      const stream = acceptExec();
      const child = spawn('sh', ['-c', command], { stdio: 'pipe' });
      stream.pipe(child.stdin);
      child.stdout.pipe(stream, { end: false });
      child.stderr.pipe(stream.stderr, { end: false });
      child.on('close', (code) => {
        stream.exit(code ?? 1);
        stream.end();
      });
    });
  });
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
