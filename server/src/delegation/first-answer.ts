import { sleep } from '../lib/clock.ts'

/** A send answers within two seconds of its arrival, whatever the relayer does. */
export const ANSWER_WITHIN_MS = 1800

/** Pause between two looks; longer when a look takes long, so that looking never keeps the database busy. */
const LOOK_MS = 25
const MAX_LOOK_MS = 200
/** How long after its deadline one may be answered, so that fewer looks are needed. */
const TOGETHER_MS = 100
/** A pause is this many times as long as the look before it. */
const PAUSE_FACTOR = 4

/** The thing being waited for. */
export interface AnswerSource<T> {
  /**
   * What there is of what is waited for, by its id: of some perhaps nothing yet, of what is `overdue` in any case. One
   * question for all of them.
   */
  look(ids: readonly string[], overdue: ReadonlySet<string>): Promise<ReadonlyMap<string, T>>
  /** Whether this can be answered before the deadline. */
  isAnswer(found: T): boolean
  /** Shortest pause between two looks, in milliseconds. */
  readonly pauseMs?: number
}

interface Waiting<T> {
  readonly id: string
  readonly deadlineMs: number
  readonly resolve: (found: T) => void
  readonly reject: (error: unknown) => void
}

/**
 * Where sends wait until there is something to answer: the hash of the first attempt, or that it has failed. All that wait
 * in a process are looked for together, so that a thousand of them cost the database as many questions as one.
 */
export class FirstAnswers<T> {
  readonly #source: AnswerSource<T>
  #waiting: Waiting<T>[] = []
  #isLooking = false

  constructor(source: AnswerSource<T>) {
    this.#source = source
  }

  /** What is stored under an id, as soon as it is an answer; as it is then, when the deadline (Unix ms) has come. */
  wait(id: string, deadlineMs: number): Promise<T> {
    const found = new Promise<T>((resolve, reject) => {
      this.#waiting.push({ id, deadlineMs, resolve, reject })
    })
    if (!this.#isLooking) void this.#look()
    return found
  }

  async #look(): Promise<void> {
    this.#isLooking = true
    while (this.#waiting.length > 0) {
      const startedMs = performance.now()
      // A copy: who begins to wait during a look has not been looked for.
      await this.#answer([...this.#waiting]).catch((error) => this.#fail(error))
      const pauseMs = Math.max((performance.now() - startedMs) * PAUSE_FACTOR, this.#source.pauseMs ?? LOOK_MS)
      if (this.#waiting.length > 0) await sleep(Math.min(pauseMs, MAX_LOOK_MS, this.#untilDeadlineMs()))
    }
    this.#isLooking = false
  }

  /** One look is for all whose deadlines come together: where sends follow each other closely there is one every millisecond. */
  #untilDeadlineMs(): number {
    const deadlines = this.#waiting.map(({ deadlineMs }) => deadlineMs)
    const first = deadlines.reduce((a, b) => Math.min(a, b))
    const last = deadlines.reduce((a, b) => (b <= first + TOGETHER_MS ? Math.max(a, b) : a), first)
    return Math.max(last - Date.now(), 1)
  }

  async #answer(waiting: readonly Waiting<T>[]): Promise<void> {
    const nowMs = Date.now()
    const overdue = new Set(waiting.filter(({ deadlineMs }) => deadlineMs <= nowMs).map(({ id }) => id))
    const found = await this.#source.look([...new Set(waiting.map(({ id }) => id))], overdue)
    const answered = new Set<Waiting<T>>()
    for (const one of waiting) {
      const isOverdue = one.deadlineMs <= nowMs
      const known = found.get(one.id)
      if (known !== undefined && (isOverdue || this.#source.isAnswer(known))) one.resolve(known)
      else if (known === undefined && isOverdue) one.reject(new Error(`${one.id} is not there after it was stored`))
      else continue
      answered.add(one)
    }
    this.#waiting = this.#waiting.filter((one) => !answered.has(one))
  }

  #fail(error: unknown): void {
    for (const { reject } of this.#waiting) reject(error)
    this.#waiting = []
  }
}
