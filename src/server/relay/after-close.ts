/** Adds an action to the one `onclose` that MCP servers and transports have. */
export function afterClose(target: { onclose?: (() => void) | undefined }, action: () => void): void {
  const before = target.onclose;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
  target.onclose = () => {
    before?.();
    action();
  };
}
