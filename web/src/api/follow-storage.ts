/** Calls back when another window of this browser has changed what is kept under a key. */
export function followStorage(key: string, onChange: () => void): void {
  addEventListener('storage', (event) => {
    // Without a key everything was removed.
    if (event.storageArea === localStorage && (event.key === key || event.key === null)) onChange();
  });
}
