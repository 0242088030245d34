import { WaitForTransactionReceiptTimeoutError } from 'viem'
import { describe, expect, it } from 'vitest'
import { failureWords, walletWords } from '../strings.ts'
import { explain, isRejection, revertSelector } from './explain.ts'

const named = (name: string, message: string) => Object.assign(new Error(message), { name })

describe('explain', () => {
  it('finds a rejection under whatever wraps it', () => {
    const wrapped = new Error('transaction failed', { cause: { code: 4001, message: 'no' } })
    expect(isRejection(wrapped)).toBe(true)
    expect(explain(wrapped)).toBe(walletWords.rejected)
    expect(isRejection(new Error('other'))).toBe(false)
  })

  it('finds what the guard refused under what viem makes of it', () => {
    const refusal = named('Refusal', 'Refused: Nothing was signed.')
    const wrapped = Object.assign(new Error('x', { cause: refusal }), {
      shortMessage: 'An unknown RPC error occurred.',
    })
    expect(explain(new Error('failed', { cause: wrapped }))).toBe('Refused: Nothing was signed.')
  })

  it('gives the venue’s own words', () => {
    expect(explain(named('Refused', 'the market is closed until Monday'))).toBe('the market is closed until Monday')
  })

  it('says that an outcome is unknown, never that it failed', () => {
    expect(explain(named('UnknownOutcome', 'socket hang up'))).toBe(failureWords.unknownOutcome)
    expect(explain(named('SendUnconfirmed', 'no'))).toBe(failureWords.unknownOutcome)
  })

  it('does not call failed what is not mined yet', () => {
    const hash = `0x${'cc'.repeat(32)}` as const
    expect(explain(new WaitForTransactionReceiptTimeoutError({ hash }))).toBe(failureWords.notMined)
  })

  it('says when the venue does not answer', () => {
    expect(explain(named('ConnectionFailed', 'x'))).toBe(failureWords.offline)
    expect(explain(new TypeError('Failed to fetch'))).toBe(failureWords.offline)
  })

  it('takes the short message of viem with its details', () => {
    expect(explain({ shortMessage: 'Execution failed.', details: 'nonce too low' })).toBe(
      'Execution failed. nonce too low',
    )
    expect(explain(undefined)).toBe(failureWords.unknown)
  })
})

describe('revertSelector', () => {
  it.each([
    ['data as a node gives it', { code: 3, message: 'execution reverted', data: '0xA3468B8F00000007' }],
    ['data below that of a wallet', { code: -32_603, data: { originalError: { code: 3, data: '0xa3468b8f' } } }],
    ['words alone', { code: 3, message: 'execution reverted: custom error 0xa3468b8f: 0000' }],
  ])('finds the error in %s, under what viem makes of it', (_, cause) => {
    expect(revertSelector(new Error('from: 0x1234567890', { cause: new Error('x', { cause }) }))).toBe('0xa3468b8f')
  })

  it('is null where nothing is said of it', () => {
    expect(revertSelector({ message: 'execution reverted: no allowance', data: '0x' })).toBeNull()
    expect(revertSelector(undefined)).toBeNull()
  })
})
