import type { EnvOf, Scale } from '../local/topology.js';
import type { SalePlan } from './sale-plan.js';
import type { Ground, Stage } from './stage.js';

/** One way to break a mesh in the middle of a sale. The frame does the rest: sale, measurements, laws, record. */
export interface Drill {
  /** Also the name of its objectives, `drills/<name>.json`. */
  name: string;
  /** What happens, for the list of drills and for its record. */
  about: string;
  /** Who or what ends the fault, for the record. */
  recovery: string;
  /** Processes of each service; one where nothing is said. */
  scale?: Scale;
  /** Settings of every service. */
  env?: Record<string, string>;
  /** Settings of one process, given the stage's links. */
  envOf?(ground: Ground): EnvOf;
  /** What is sold to whom, and when the fault comes and goes. */
  plan?: Partial<SalePlan>;
  /** Before the sale. */
  prepare?(stage: Stage): Promise<void>;
  /** Breaks something; a fault that is many acts resolves after the last of them. */
  fault(stage: Stage, plan: SalePlan): Promise<void> | void;
  /** What an operator does about it meanwhile, `actAfterMs` into the fault. */
  act?(stage: Stage): Promise<void>;
  /** Mends it, once the fault has lasted. Absent: nobody does, the mesh has to. */
  heal?(stage: Stage): Promise<void> | void;
  /** What must hold besides the laws, asked at rest: a sentence for each thing that does not. */
  check?(stage: Stage): Promise<string[]>;
  twin?: Twin;
}

/** The same drill with one protection taken away: it must be seen to fail, or the drill sees nothing. */
export interface Twin {
  /** What is taken away, for the list and for the record. */
  without: string;
  env?: Record<string, string>;
  /** After the drill's own. */
  prepare?(stage: Stage): Promise<void>;
  /** As soon as the sale flows, before the fault. */
  weaken?(stage: Stage): Promise<void> | void;
}
