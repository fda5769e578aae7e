/** Where a contained agent finds what it was given: short paths, the same for every agent. */
export const INSIDE = {
  selfSocket: '/run/fleet/self.sock',
  teamSocket: '/run/fleet/team.sock',
  /** The caches of its project, for programs that take no path with a space. */
  caches: '/run/fleet/caches',
  sshAgent: '/run/fleet/ssh-agent.sock',
};
