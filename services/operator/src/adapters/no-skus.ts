/** The warning of a change for a store that has no skus: the change was made, and may be for nobody. */
export function noSkus(storeId: string): string {
  return `store ${storeId} has no skus yet: check the spelling; ids are told apart by case`;
}
