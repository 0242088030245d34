/** How far a random campaign goes: in `npm test`, and in CI. */
export interface CampaignLength<T> {
  readonly short: T
  readonly whole: T
}

/**
 * The length of this run's campaigns: `whole` with `TEST_CAMPAIGNS=whole`, which `npm test -- --whole` and so CI set. A
 * short campaign asserts the same of each step, and must still meet everything that the test counts.
 */
export function lengthOf<T>({ short, whole }: CampaignLength<T>): T {
  const { TEST_CAMPAIGNS: length = 'short' } = process.env
  if (length !== 'short' && length !== 'whole') throw new Error(`TEST_CAMPAIGNS is "${length}": give short or whole`)
  return length === 'whole' ? whole : short
}
