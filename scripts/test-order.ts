import { relative } from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { COMPUTE } from './test-projects.ts'

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
  'server/e2e/malformed.test.ts',
  'web/e2e/recovery.test.ts',
  'server/e2e/webhooks.test.ts',
  'server/e2e/reconciliation.test.ts',
  'server/e2e/limit-orders.test.ts',
  'web/e2e/trading.test.ts',
  'server/e2e/perp.test.ts',
  'server/e2e/restart.test.ts',
  'server/e2e/keeper-kill.test.ts',
  'server/e2e/readme.test.ts',
  'server/e2e/market-maker.test.ts',
  'web/e2e/accessibility.test.ts',
  'server/src/perp/kept/kept.test.ts',
  'web/e2e/reference.test.ts',
  'sim/perp-chain/recording.test.ts',
]

/**
 * Files that wait for most of their time, for what hangs or for an answer that does not come, among those that compute: side by side they
 * would leave all cores idle. They come apart from each other.
 */
const WAITING_FILES = [
  'server/src/stock/sending/send.test.ts',
  'server/src/http/answer-once.test.ts',
  'server/src/roles/health.test.ts',
  'server/src/delegation/send-groups.test.ts',
  'server/src/stock/orders/preview.test.ts',
  'server/src/delegation/delegation.test.ts',
  'server/src/http/stream.test.ts',
  'server/src/market/alpaca/random-day.test.ts',
]

/** Begins with the longest files; the others by their size, as vitest does without results of an earlier run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files)
    const computing = bySize.filter(({ project }) => COMPUTE.includes(project.name))
    const others = bySize.filter(({ project }) => !COMPUTE.includes(project.name))
    const waits = (file: TestSpecification): boolean => this.#placeIn(WAITING_FILES, file) < WAITING_FILES.length
    const waiting = this.#inOrderOf(WAITING_FILES, computing.filter(waits))
    return [
      ...spread(
        waiting,
        computing.filter((file) => !waits(file)),
      ),
      ...this.#inOrderOf(LONGEST, others),
    ]
  }

  /** Those that the list names first. */
  #inOrderOf(list: readonly string[], files: readonly TestSpecification[]): TestSpecification[] {
    return files.toSorted((a, b) => this.#placeIn(list, a) - this.#placeIn(list, b))
  }

  /** Behind all that the list names for a file that it does not. */
  #placeIn(list: readonly string[], { moduleId }: TestSpecification): number {
    const place = list.indexOf(relative(this.ctx.config.root, moduleId))
    return place < 0 ? list.length : place
  }
}

/** The first of them at once, then each after as many others. */
export function spread<File>(files: readonly File[], others: readonly File[]): File[] {
  if (files.length === 0) return [...others]
  const apart = Math.ceil(others.length / files.length)
  return files.flatMap((file, nth) => [file, ...others.slice(nth * apart, (nth + 1) * apart)])
}
