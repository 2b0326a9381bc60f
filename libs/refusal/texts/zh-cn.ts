import type { Reason } from '../catalogue.js';
import { faultsZhCn } from './faults-zh-cn.js';
import type { ReasonText } from './reason-text.js';
import { refusalsZhCn } from './refusals-zh-cn.js';

/** Every reason in Simplified Chinese. */
export const zhCn: Readonly<Record<Reason, ReasonText>> = { ...faultsZhCn, ...refusalsZhCn };
