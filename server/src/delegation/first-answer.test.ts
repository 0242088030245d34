import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AnswerSource, FirstAnswers } from './first-answer.ts'

const CLAIM = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'

interface State {
  underWay: string[]
  hash: string | null
  isDown?: boolean
}

/** A store of which only what is under way, or overdue, is worth reading. */
function store(state: State) {
  const questions: (readonly string[])[] = []
  const source: AnswerSource<{ id: string; txHash: string | null }> = {
    async look(ids, overdue) {
      questions.push(ids)
      if (state.isDown) throw new Error('the database is down')
      const due = ids.filter((id) => overdue.has(id) || state.underWay.includes(id))
      return new Map(due.map((id) => [id, { id, txHash: state.hash }]))
    },
    isAnswer: ({ txHash }) => txHash !== null,
  }
  return { answers: new FirstAnswers(source), questions }
}

const soon = () => Date.now() + 50
const late = () => Date.now() + 60_000

describe('sends that wait for their answer', () => {
  it('are looked for together, and each is answered as soon as it has one', async () => {
    const state: State = { underWay: [], hash: null }
    const { answers, questions } = store(state)
    const waiting = Array.from({ length: 500 }, (_, n) => answers.wait(n % 2 ? CLAIM : OTHER, late()))
    await expect.poll(() => questions.length).toBeGreaterThan(1)
    expect(questions.length).toBeLessThan(500)
    expect(questions.at(-1)).toEqual([OTHER, CLAIM])
    Object.assign(state, { underWay: [CLAIM, OTHER], hash: '0x12' })
    expect(new Set((await Promise.all(waiting)).map(({ txHash }) => txHash))).toEqual(new Set(['0x12']))
  })

  it('go on waiting for a hash that was taken back, and are answered at their deadline as things stand', async () => {
    const { answers } = store({ underWay: [CLAIM], hash: null })
    expect(await answers.wait(CLAIM, soon())).toMatchObject({ id: CLAIM, txHash: null })
  })

  it('that begin to wait during a look, past their deadline already, are looked for before they are answered', async () => {
    let endLook = () => {}
    const looks: (readonly string[])[] = []
    const answers = new FirstAnswers<string>({
      async look(ids) {
        looks.push(ids)
        if (looks.length === 1) await new Promise<void>((resolve) => (endLook = resolve))
        return new Map(ids.map((id) => [id, id]))
      },
      isAnswer: () => true,
    })
    const first = answers.wait(CLAIM, late())
    const second = answers.wait(OTHER, Date.now() - 1)
    endLook()
    expect(await Promise.all([first, second])).toEqual([CLAIM, OTHER])
    expect(looks).toEqual([[CLAIM], [OTHER]])
  })

  it('all hear of a database that fails, and later ones are looked for again', async () => {
    const state: State = { underWay: [CLAIM], hash: '0x12', isDown: true }
    const { answers } = store(state)
    const outcomes = await Promise.allSettled([answers.wait(CLAIM, late()), answers.wait(OTHER, late())])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    state.isDown = false
    expect(await answers.wait(CLAIM, late())).toMatchObject({ txHash: '0x12' })
  })

  it('that are not stored at all end with an error at their deadline', async () => {
    const answers = new FirstAnswers({ look: async () => new Map<string, string>(), isAnswer: () => true })
    await expect(answers.wait(CLAIM, soon())).rejects.toThrow(`${CLAIM} is not there after it was stored`)
  })
})

describe('within two seconds', () => {
  // Time passes only when a test says so: two seconds are two seconds on every machine.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  /** Answers when the wait ended, in milliseconds, and with what; `look` gives the state after that time. */
  async function ended(look: (afterMs: number) => string | null, lateMs = 0, pauseMs = 25) {
    const startedAtMs = Date.now()
    vi.setSystemTime(startedAtMs + lateMs)
    const answers = new FirstAnswers({
      look: async () => new Map([[CLAIM, look(Date.now() - startedAtMs)]]),
      isAnswer: (found) => found !== null,
      pauseMs,
    })
    const answer = answers
      .wait(CLAIM, startedAtMs + 1800)
      .then((value): [number, string | null] => [Date.now() - startedAtMs, value])
    await vi.advanceTimersByTimeAsync(60_000)
    return answer
  }

  it('answers at once when there is an answer', async () => {
    expect(await ended(() => 'a hash')).toEqual([0, 'a hash'])
  })

  it('answers within two seconds with what there is, when no answer comes', async () => {
    expect(await ended(() => null)).toEqual([1800, null])
    expect(await ended(() => null, 0, 100)).toEqual([1800, null])
  })

  it('answers those whose deadlines come one after the other by few looks', async () => {
    const startedAtMs = Date.now()
    const looksAtMs: number[] = []
    const answers = new FirstAnswers({
      async look(ids, overdue) {
        looksAtMs.push(Date.now() - startedAtMs)
        return new Map(ids.filter((id) => overdue.has(id)).map((id) => [id, id]))
      },
      isAnswer: () => false,
    })
    const waits = Array.from({ length: 500 }, async (_, nth) => {
      await answers.wait(String(nth), startedAtMs + 1000 + nth)
      return Date.now() - startedAtMs - (1000 + nth)
    })
    await vi.advanceTimersByTimeAsync(60_000)
    for (const lateMs of await Promise.all(waits)) {
      expect(lateMs).toBeGreaterThanOrEqual(0)
      expect(lateMs).toBeLessThanOrEqual(100)
    }
    expect(looksAtMs.filter((atMs) => atMs >= 1000).length).toBeLessThan(25)
  })

  it('answers soon after an answer is there', async () => {
    for (const thereMs of [1, 30, 500, 1000, 1799]) {
      for (const pauseMs of [25, 100]) {
        const [afterMs, answer] = await ended((nowMs) => (nowMs >= thereMs ? 'a hash' : null), 0, pauseMs)
        expect(answer).toBe('a hash')
        expect(afterMs).toBeGreaterThanOrEqual(thereMs)
        expect(afterMs).toBeLessThanOrEqual(Math.min(1800, thereMs + 200))
      }
    }
  })

  it('looks once when the time was over before', async () => {
    let looks = 0
    expect(await ended(() => (++looks === 1 ? 'a hash' : null), 5000)).toEqual([5000, 'a hash'])
    expect(looks).toBe(1)
  })
})
