import { isReason, type Reason } from './catalogue.js';

const folder = '/problems/';

/** The type of a problem: where its reason is explained, as a path at the HTTP edge. SOLD_OUT is /problems/sold-out. */
export function typeOfReason(reason: string): string {
  return folder + reason.toLowerCase().replaceAll('_', '-');
}

/** The reason of the last part of such a path; undefined when there is none. */
export function reasonOfName(name: string): Reason | undefined {
  const reason = name.toUpperCase().replaceAll('-', '_');
  return isReason(reason) && typeOfReason(reason) === folder + name ? reason : undefined;
}
