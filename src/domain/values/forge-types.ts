/** The kinds of hosts of pull requests that Fleet can ask. Forgejo speaks as Gitea does. */
export const FORGE_TYPES = ['github', 'gitlab', 'gitea'] as const;
