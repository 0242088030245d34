import { isRejection } from '../lib/explain.ts'

/** A step after one that was sent. Who declines it in the wallet is told what that one has left, not that nothing was sent. */
export async function afterStep<Result>(left: string, step: () => Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (error) {
    throw isRejection(error) ? new Error(left) : error
  }
}
