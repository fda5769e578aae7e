import { Transform } from 'node:stream';
import { isRpcMessage, isRpcRequest, type JsonObject } from '../../wire/json-rpc.ts';
import { INVALID_PARAMS, paramsProblem } from '../../orchestrator/calls/params-problem.ts';
import { jsonIn } from '../../domain/values/text.ts';

/** Where parameters may begin as something else than an object; a look at the whole message decides. */
const SUSPECT = /"params"\s*:\s*[^\s{]/;

/** The answer to a request whose parameters are not an object, which is not even a message for the SDK; undefined for
 *  any other text. */
export function badParamsAnswer(text: string): JsonObject | undefined {
  if (!SUSPECT.test(text)) return undefined;
  const message = jsonIn(text);
  if (!isRpcMessage(message) || !isRpcRequest(message)) return undefined;
  const { id, method, params } = message;
  if (typeof params === 'object' && params !== null && !Array.isArray(params)) return undefined;
  const problem = paramsProblem(method, params);
  if (problem === undefined) return undefined;
  return { jsonrpc: '2.0', id, error: { code: INVALID_PARAMS, message: problem } };
}

/** Passes lines on, but for such requests, which are given to `answer`. */
export function withoutBadParams(answer: (message: JsonObject) => void): Transform {
  let rest: Buffer[] = [];
  const take = (line: Buffer): Buffer | undefined => {
    const refused = badParamsAnswer(line.toString('utf8'));
    if (refused === undefined) return line;
    answer(refused);
    return undefined;
  };
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      let from = 0;
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        const line = take(Buffer.concat([...rest, chunk.subarray(from, end + 1)]));
        if (line !== undefined) this.push(line);
        rest = [];
        from = end + 1;
      }
      if (from < chunk.length) rest.push(chunk.subarray(from));
      done();
    },
    flush(done) {
      done(null, rest.length === 0 ? null : Buffer.concat(rest));
    },
  });
}
