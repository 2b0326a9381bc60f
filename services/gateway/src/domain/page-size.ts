const pageSizeDefault = 50;
const pageSizeMax = 500;

/** 0 asks for the default; more than the cap gets the cap. */
export function pageSizeOf(asked: number): number {
  return asked === 0 ? pageSizeDefault : Math.min(asked, pageSizeMax);
}
