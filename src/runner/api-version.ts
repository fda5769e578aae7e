/** The version of the runner's API, in its paths. */
export const API_VERSION = 'v1';
