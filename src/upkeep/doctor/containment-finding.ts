import { existsSync } from 'node:fs';
import { containmentLoss } from '../../backends/local/records/require-containment.ts';
import type { Finding } from '../../domain/check.ts';
import { resolveHome } from '../../platform/home.ts';
import { containmentBound, containmentLevel } from '../../platform/processes/containment.ts';
import { PROCESS_LIMIT } from '../../platform/processes/process-group.ts';

const IN_CONTAINER =
  'this is a container, whose default profile forbids user namespaces: start it with --security-opt seccomp=unconfined --security-opt systempaths=unconfined (and apparmor=unconfined on a host with AppArmor), never with --privileged; or let the container be the wall, with one agent in each';

/** How well this machine keeps agents apart, and from the fleet's own files. */
export function containmentFinding(env: NodeJS.ProcessEnv): Finding {
  const { level, reason } = containmentLevel();
  const loss = containmentLoss(resolveHome(env));
  if (loss !== undefined)
    return {
      state: 'fail',
      message: `${loss}. No agent is started`,
      fix: 'restore what changed on this machine, or set FLEET_CONTAINMENT=marker to run agents without namespaces',
    };
  if (level === 'namespace')
    return {
      state: 'ok',
      message: `level namespace: the kernel ends all processes of a task with it, and agents can write only to what is their own; ${processLimitText()}`,
    };
  return {
    state: 'warn',
    message: `level marker, because ${reason ?? ''}: processes of a task are found by a mark in their environment, and an agent can access the fleet home, so scopes and approvals are not enforced on this machine`,
    fix: isContainer()
      ? IN_CONTAINER
      : 'run on Linux with util-linux (unshare, setpriv, mount) and user namespaces allowed',
  };
}

function processLimitText(): string {
  const bound = containmentBound();
  if (bound === null) return 'the number of their processes is not limited';
  return `a task has at most ${PROCESS_LIMIT} processes, by a ${bound}`;
}

/** Docker, Podman and Kubernetes each leave a sign. */
function isContainer(): boolean {
  return (
    ['/.dockerenv', '/run/.containerenv'].some((file) => existsSync(file)) ||
    process.env['KUBERNETES_SERVICE_HOST'] !== undefined
  );
}
