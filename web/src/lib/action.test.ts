import { UnknownOutcome } from '@bourse/sdk/stock'
import { describe, expect, it } from 'vitest'
import { failureWords } from '../strings.ts'
import { type ActionKind, actionOf } from './action.ts'
import { NotConfirmed } from './explain.ts'

/** Forms of one name, the messages that they tell, and what is under way. */
function forms(name: string) {
  const told: string[] = []
  const kind: ActionKind<string> = {
    first: 'building',
    done: (what) => `${what}: done`,
    tell: (tone, text) => told.push(`${tone} ${text}`),
    changed: () => told.push('changed'),
  }
  const work = Promise.withResolvers<void>()
  return { told, work, open: (of = name) => actionOf(of, kind) }
}

const failed = (error: Error): Promise<void> => Promise.reject(error)
const refused = (why: string) => failed(new Error(why))

describe('an action', () => {
  it('says how far it is, and in a message that it went well', async () => {
    const { told, open } = forms('a')
    const action = open()
    const steps: (string | null)[] = []
    action.step.subscribe((step) => steps.push(step))
    expect(await action.run('Buy', async (at) => at('sending'))).toBe(true)
    expect(steps).toEqual([null, 'building', 'sending', null])
    expect(told).toEqual(['good Buy: done', 'changed'])
  })

  it('says what it resolves to in place of that it went well', async () => {
    const { told, open } = forms('a')
    expect(await open().run('Buy', async () => ({ kind: 'info' as const, text: 'later' }))).toBe(true)
    expect(await open().run('Sell', async () => null)).toBe(true)
    expect(told).toEqual(['info later', 'changed', 'good Sell: done', 'changed'])
  })

  it('that fails while its form is shown says why there alone', async () => {
    const { told, open } = forms('b')
    const action = open()
    action.show()
    expect(await action.run('Buy', () => refused('too much'))).toBe(false)
    expect([action.failure.value, told]).toEqual(['too much', ['changed']])
  })

  it('that fails after its form was left says in a message what and why', async () => {
    const { told, work, open } = forms('c')
    const action = open()
    const leave = action.show()
    const running = action.run('Buy AAPL', () => work.promise)
    leave()
    work.reject(new Error('too much'))
    expect(await running).toBe(false)
    expect(told).toEqual([`bad ${failureWords.of('Buy AAPL', 'too much')}`, 'changed'])
    expect(open().failure.value).toBe(null)
  })

  it('that may have been done though it failed is told in a message too when its form goes, once', async () => {
    const { told, open } = forms('h')
    const action = open()
    const [leave, leaveOther] = [action.show(), action.show()]
    const lost = new UnknownOutcome('POST /orders/send', 'k', new TypeError('fetch failed'))
    await action.run('Buy AAPL', () => failed(lost))
    expect([action.failure.value, told]).toEqual([failureWords.unknownOutcome, ['changed']])
    leave()
    expect(told).toEqual(['changed'])
    leaveOther()
    open().show()()
    expect(told).toEqual(['changed', `bad ${failureWords.of('Buy AAPL', failureWords.unknownOutcome)}`])
  })

  it('that was tried again since is no doubt any more when its form goes', async () => {
    const { told, open } = forms('i')
    const action = open()
    const leave = action.show()
    await action.run('Buy AAPL', () => failed(new NotConfirmed()))
    await action.run('Buy AAPL', () => refused('too much'))
    leave()
    expect(told).toEqual(['changed', 'changed'])
  })

  it('is found under way by who left its form and comes back, and not begun a second time', async () => {
    const { told, work, open } = forms('d')
    const first = open()
    const leave = first.show()
    const running = first.run('Deposit', () => work.promise)
    leave()
    const again = open()
    again.show()
    expect(again.step.value).toBe('building')
    expect(await again.run('Deposit', () => refused('sent twice'))).toBe(false)
    work.reject(new Error('too much'))
    await running
    expect([again.step.value, again.failure.value, told]).toEqual([null, 'too much', ['changed']])
  })

  it('of another form, or of another account, is another one', async () => {
    const { work, open } = forms('e')
    const running = open().run('Deposit', () => work.promise)
    expect(open('f').step.value).toBe(null)
    work.resolve()
    await running
    expect(open().step.value).toBe(null)
  })

  it('is forgotten with its failure once it is neither shown nor under way', async () => {
    const { open } = forms('g')
    const action = open()
    const leave = action.show()
    await action.run('Buy', () => refused('too much'))
    expect(open()).toBe(action)
    leave()
    expect(open()).not.toBe(action)
  })
})
