import { realFleet } from './real-fleet.ts';
import { successCriteria } from './success-criteria.ts';

successCriteria('on a real Coder server', realFleet);
