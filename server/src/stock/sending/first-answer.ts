import type { Sql } from '../../db/pool.ts'
import { sleep } from '../../lib/clock.ts'
import { claimsUnderWay } from '../recording/claim-store.ts'
import { mappingStatus } from '../recording/mapping.ts'
import type { MappingRow } from '../store.ts'
import { mappingsOfClaims } from '../streams/mark-store.ts'

/** Between two looks; longer when a look takes long, so that looking never keeps the database busy. */
const LOOK_MS = 25
const MAX_LOOK_MS = 200
/** A pause is so many times as long as the look before it. */
const PAUSE_FACTOR = 4

interface Waiting {
  readonly claimId: string
  readonly deadlineMs: number
  readonly resolve: (mapping: MappingRow) => void
  readonly reject: (error: unknown) => void
}

/**
 * Where sends wait until there is something to answer: the hash of the first attempt, or that it has failed. All that wait
 * in a process are looked for together, so that a thousand of them cost the database as many questions as one.
 */
export class FirstAnswers {
  readonly #sql: Sql
  #waiting: Waiting[] = []
  #isLooking = false

  constructor(sql: Sql) {
    this.#sql = sql
  }

  /** The mapping of a stored claim, as soon as it has an answer; as it is then, when the deadline (Unix ms) has come. */
  wait(claimId: string, deadlineMs: number): Promise<MappingRow> {
    const mapping = new Promise<MappingRow>((resolve, reject) => {
      this.#waiting.push({ claimId, deadlineMs, resolve, reject })
    })
    if (!this.#isLooking) void this.#look()
    return mapping
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#waiting.length > 0) {
      const startedMs = performance.now()
      await this.#answer(this.#waiting).catch((error) => this.#fail(error))
      const pauseMs = Math.max((performance.now() - startedMs) * PAUSE_FACTOR, LOOK_MS)
      if (this.#waiting.length > 0) await sleep(Math.min(pauseMs, MAX_LOOK_MS, this.#untilDeadlineMs()))
    }
    this.#isLooking = false
  }

  #untilDeadlineMs(): number {
    return Math.max(Math.min(...this.#waiting.map(({ deadlineMs }) => deadlineMs)) - Date.now(), 1)
  }

  async #answer(waiting: readonly Waiting[]): Promise<void> {
    const underWay = await claimsUnderWay(
      this.#sql,
      waiting.map(({ claimId }) => claimId),
    )
    const nowMs = Date.now()
    const due = waiting.filter(({ claimId, deadlineMs }) => deadlineMs <= nowMs || underWay.has(claimId))
    if (due.length === 0) return
    const mappings = await this.#mappings(due)
    const answered = new Set<Waiting>()
    for (const one of due) {
      const mapping = mappings.get(one.claimId)
      if (!mapping) one.reject(new Error(`the claim ${one.claimId} is not there after it was stored`))
      else if (one.deadlineMs <= nowMs || isAnswer(mapping)) one.resolve(mapping)
      else continue
      answered.add(one)
    }
    this.#waiting = this.#waiting.filter((one) => !answered.has(one))
  }

  /** The first mapping of each claim. */
  async #mappings(due: readonly Waiting[]): Promise<Map<string, MappingRow>> {
    const rows = await mappingsOfClaims(this.#sql, [...new Set(due.map(({ claimId }) => claimId))])
    return new Map(rows.toReversed().map((row) => [row.claimId, row]))
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#waiting) reject(error)
    this.#waiting = []
  }
}

const isAnswer = (mapping: MappingRow): boolean => mapping.txHash !== null || mappingStatus(mapping) !== 'pending'
