import type { Fleet } from '../../fleet/fleet.ts';
import type { FleetPlace } from '../../fleet/open-fleet.ts';

/** Lets the operations of a fleet run the checks of doctor, which are a layer above them. */
export function provideDoctor({ doctor }: Pick<Fleet, 'doctor'>, { env, cwd, config }: FleetPlace): void {
  doctor.provide(async () => {
    const { runChecks } = await import('../../upkeep/doctor/doctor-checks.ts');
    return runChecks({ env, cwd, config });
  });
}
