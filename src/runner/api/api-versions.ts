/** The versions of the runner's API, in its paths, newest first. A runner serves them all, and a client speaks the newest
 *  that the runner has: with the one before it in here, either may be a version older than the other. */
export const API_VERSIONS: readonly string[] = ['v1'];
