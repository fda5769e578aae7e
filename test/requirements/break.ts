/** A change of the product that breaks the behaviour of one row: its tests must turn red. */
export interface Break {
  /** The row. */
  readonly id: string;
  /** A file of the product, from the root of the repository. */
  readonly file: string;
  /** A piece of that file, there exactly once. */
  readonly find: string;
  readonly replace: string;
}
