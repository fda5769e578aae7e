/** Calls back once when a response's body has been read to its end, or nobody reads it any more. */
export function onBodyEnd(response: Response, callback: () => void): Response {
  if (response.body === null) {
    callback();
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (thrown) {
        controller.error(thrown);
      }
      callback();
    },
    async cancel(reason) {
      callback();
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
