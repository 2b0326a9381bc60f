import type { Reason } from '../catalogue.js';
import { faultsEn } from './faults-en.js';
import type { ReasonText } from './reason-text.js';
import { refusalsEn } from './refusals-en.js';

/** Every reason in English. */
export const en: Readonly<Record<Reason, ReasonText>> = { ...faultsEn, ...refusalsEn };
