import { describe, expect, it } from 'vitest'
import { explain, NotConfirmed } from '../lib/explain.ts'
import { failureWords, walletWords } from '../strings.ts'
import { ProviderError } from '../wallet/eip1193.ts'
import { cancelEach } from './cancel-each.ts'
import { words } from './strings.ts'

const declined = new ProviderError(4001, 'no')

/** Cancels orders of which some fail; tells which were asked for, and what is told at the end. */
async function cancelOf(failures: readonly (Error | null)[]) {
  const asked: string[] = []
  const orderIds = failures.map((_, nth) => String(nth))
  const told = await cancelEach(orderIds, async (orderId) => {
    asked.push(orderId)
    const failure = failures[Number(orderId)]
    if (failure) throw failure
  }).then(
    () => null,
    (error: unknown) => explain(error),
  )
  return { asked: asked.length, told }
}

describe('the cancel of several orders', () => {
  it('asks for each, and tells nothing where all went well', async () => {
    expect(await cancelOf([null, null])).toEqual({ asked: 2, told: null })
  })

  it('goes on past one that is refused', async () => {
    const { asked, told } = await cancelOf([null, new Error('it is filled'), null])
    expect([asked, told]).toEqual([3, words.cancelledSome(2, 3, 'it is filled')])
  })

  it('ends where the wallet’s user declines one, and tells that those before it are cancelled', async () => {
    const { asked, told } = await cancelOf([null, null, declined, null])
    expect([asked, told]).toEqual([3, words.cancelledSome(2, 4, walletWords.rejectedThis)])
  })

  it('has sent nothing where the first is declined', async () => {
    expect(await cancelOf([declined, null])).toEqual({ asked: 1, told: walletWords.rejected })
  })

  it('does not say that nothing was sent where one before it may have been', async () => {
    const { told } = await cancelOf([new NotConfirmed(), declined])
    expect(told).toBe(words.cancelledSome(0, 2, failureWords.notConfirmed))
  })
})
