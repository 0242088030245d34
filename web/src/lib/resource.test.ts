import { signal } from '@preact/signals'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { pause } from './pause.ts'
import { askedUntil, createResource, ofSession } from './resource.ts'

/** A venue that answers when it is told to. */
function slowVenue() {
  const asked: { readonly signal: AbortSignal; answer(value: string): void; fail(error: Error): void }[] = []
  const ask = (abort: AbortSignal) => new Promise<string>((answer, fail) => asked.push({ signal: abort, answer, fail }))
  return { asked, resource: createResource(ask) }
}

const turn = () => new Promise((resolve) => setTimeout(resolve))

describe('a resource', () => {
  it('shows what comes however often it is asked for meanwhile, and asks once more for all of them', async () => {
    const { asked, resource } = slowVenue()
    const done = [resource.refresh(), resource.refresh(), resource.refresh()]
    expect(asked).toHaveLength(1)
    asked[0]?.answer('first')
    await turn()
    expect(resource.data.value).toBe('first')
    expect(asked).toHaveLength(2)
    asked[1]?.answer('second')
    await Promise.all(done)
    expect(resource.data.value).toBe('second')
    expect(asked.map(({ signal: { aborted } }) => aborted)).toEqual([false, false])
    void resource.refresh()
    expect(asked).toHaveLength(3)
  })

  it('keeps what is known through a failure, and forgets the failure with the next answer', async () => {
    const { asked, resource } = slowVenue()
    void resource.refresh()
    asked[0]?.answer('known')
    await turn()
    void resource.refresh()
    asked[1]?.fail(new Error('broken'))
    await turn()
    expect(resource.data.value).toBe('known')
    expect(resource.error.value).not.toBeNull()
    void resource.refresh()
    asked[2]?.answer('newer')
    await turn()
    expect([resource.data.value, resource.error.value]).toEqual(['newer', null])
  })

  it('keeps what a stream tells over an answer that was asked for before, and not over one asked for later', async () => {
    const { asked, resource } = slowVenue()
    void resource.refresh()
    resource.tell(() => 'told')
    expect(resource.data.value).toBe('told')
    asked[0]?.answer('older')
    await turn()
    expect(resource.data.value).toBe('told')
    void resource.refresh()
    asked[1]?.answer('newer')
    await turn()
    expect(resource.data.value).toBe('newer')
    resource.tell(() => 'told again')
    expect(resource.data.value).toBe('told again')
  })

  it('adds to an answer what a stream told of it while it was on its way', async () => {
    const { asked, resource } = slowVenue()
    const add = (news: string) => resource.tell((known) => known && `${known}, ${news}`)
    void resource.refresh()
    add('first')
    expect(resource.data.value).toBeUndefined()
    add('second')
    void resource.refresh()
    asked[0]?.answer('whole')
    await turn()
    expect(resource.data.value).toBe('whole, first, second')
    add('third')
    asked[1]?.answer('whole anew')
    await turn()
    expect(resource.data.value).toBe('whole anew, third')
  })

  it('shows nothing of the wallet before: what was on its way is given up, and asked anew', async () => {
    const { asked, resource } = slowVenue()
    const session = signal<string | null>('anna')
    const changes = signal(0)
    ofSession(session, [resource], changes)
    asked[0]?.answer('of anna')
    await turn()
    expect(resource.data.value).toBe('of anna')
    changes.value += 1
    session.value = 'berta'
    expect(resource.data.value).toBeUndefined()
    expect(asked.map(({ signal: { aborted } }) => aborted)).toEqual([true, true, false])
    asked[1]?.answer('of anna, late')
    asked[2]?.answer('of berta')
    await turn()
    expect(resource.data.value).toBe('of berta')
    session.value = null
    expect(resource.data.value).toBeUndefined()
    expect(asked).toHaveLength(3)
  })
})

describe('what is so once the chain has it', () => {
  afterEach(() => {
    vi.useRealTimers()
  })

  /** How often it was asked until it was so on this answer, and what is told. */
  async function asked(soOn: number, answerMs = 0) {
    vi.useFakeTimers()
    let count = 0
    const ask = async () => {
      count += 1
      const answer = count
      await pause(answerMs)
      if (answer === 2) throw new Error('not now')
      return answer
    }
    const told = askedUntil(ask, (answer) => answer >= soOn)
    await vi.runAllTimersAsync()
    return { count, told: await told }
  }

  it('is asked for again until it is so, through failures', async () => {
    expect(await asked(1)).toEqual({ count: 1, told: true })
    expect(await asked(4)).toEqual({ count: 4, told: true })
  })

  it('is told not to be so yet after a minute', async () => {
    expect(await asked(1000)).toEqual({ count: 61, told: false })
  })

  it('takes no longer where each answer does', async () => {
    expect(await asked(1000, 30_000)).toEqual({ count: 2, told: false })
  })
})
