import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * The files that take minutes, longest first (a run prints its slowest). Begun last, one of them alone would be waited
 * for while the other workers have nothing left. A file that is missing here costs time, nothing else.
 */
const LONGEST = [
  'server/e2e/perp-acceptance.test.ts',
  'server/e2e/acceptance.test.ts',
  'sim/venue/run.test.ts',
  'server/e2e/restore-drill.test.ts',
  'web/e2e/perp-round.test.ts',
  'server/src/chain/send/kill.test.ts',
  'sim/perp-chain/differential.test.ts',
  'server/e2e/conformance.test.ts',
  'sim/perp-chain/sdk-parity.test.ts',
  'web/e2e/recovery.test.ts',
  'server/e2e/webhooks.test.ts',
  'server/e2e/reconciliation.test.ts',
  'server/e2e/limit-orders.test.ts',
  'web/e2e/trading.test.ts',
  'server/e2e/perp.test.ts',
  'sim/perp-chain/recording.test.ts',
]

/** Begins with the longest files; the others by their size, as vitest does without results of an earlier run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const rank = ({ moduleId }: TestSpecification): number => {
      const place = LONGEST.indexOf(relative(this.ctx.config.root, moduleId))
      return place < 0 ? LONGEST.length : place
    }
    return sorted.toSorted((a, b) => rank(a) - rank(b))
  }
}
