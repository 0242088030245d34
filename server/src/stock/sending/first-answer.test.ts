import { describe, expect, it } from 'vitest'
import type { Sql } from '../../db/pool.ts'
import { FirstAnswers } from './first-answer.ts'

const CLAIM = '00000000-0000-4000-8000-000000000001'
const OTHER = '00000000-0000-4000-8000-000000000002'
const row = (claimId: string, txHash: string | null) => ({ claimId, txHash, succeeded: null, operationId: null })

/** A database that answers in turn: first which claims are under way, then the mappings of those that are asked for. */
function database(state: { underWay: string[]; hash: string | null; isDown?: boolean }) {
  const questions: string[] = []
  const sql = ((texts: TemplateStringsArray, ...values: unknown[]) => {
    const text = texts.join('?')
    if (!text.includes('from')) return text
    questions.push(text)
    if (state.isDown) return Promise.reject(new Error('the database is down'))
    if (text.includes('tx_intents')) return Promise.resolve(state.underWay.map((claimId) => ({ claimId })))
    const ids = values.find(Array.isArray) as string[]
    return Promise.resolve(ids.map((claimId) => row(claimId, state.hash)))
  }) as unknown as Sql
  return { sql, questions }
}

const soon = () => Date.now() + 50
const late = () => Date.now() + 60_000

describe('sends that wait for their answer', () => {
  it('are looked for together, and each is answered as soon as it has one', async () => {
    const state = { underWay: [] as string[], hash: null as string | null }
    const { sql, questions } = database(state)
    const answers = new FirstAnswers(sql)
    const waiting = Array.from({ length: 500 }, (_, n) => answers.wait(n % 2 ? CLAIM : OTHER, late()))
    await expect.poll(() => questions.length).toBeGreaterThan(1)
    expect(questions.length).toBeLessThan(500)
    Object.assign(state, { underWay: [CLAIM, OTHER], hash: '0x12' })
    expect(new Set((await Promise.all(waiting)).map(({ txHash }) => txHash))).toEqual(new Set(['0x12']))
  })

  it('go on waiting for a hash that was taken back, and are answered at their deadline as things stand', async () => {
    const { sql } = database({ underWay: [CLAIM], hash: null })
    expect(await new FirstAnswers(sql).wait(CLAIM, soon())).toMatchObject({ claimId: CLAIM, txHash: null })
  })

  it('all hear of a database that fails, and later ones are looked for again', async () => {
    const state = { underWay: [CLAIM], hash: '0x12', isDown: true }
    const answers = new FirstAnswers(database(state).sql)
    const outcomes = await Promise.allSettled([answers.wait(CLAIM, late()), answers.wait(OTHER, late())])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    state.isDown = false
    expect(await answers.wait(CLAIM, late())).toMatchObject({ txHash: '0x12' })
  })
})
