import { type PrepareApprovalResult, VenueError } from '@bourse/sdk/perp'
import { describe, expect, it } from 'vitest'
import { explain } from '../lib/explain.ts'
import { walletWords } from '../strings.ts'
import { ProviderError } from '../wallet/eip1193.ts'
import { sendApproval } from './approval.ts'

const refused = (reason: string) =>
  new VenueError({
    status: 400,
    code: 40_001,
    reason,
    message: reason,
    requestId: 'r',
    detail: null,
    retryAfterMs: null,
    retryable: false,
  })

/** A token that takes an amount only over 0; what the wallet has sent of it, and what is told at the end. */
async function sentOf(amount: string, allowed: string, { declines = '', reason = 'would_revert' } = {}) {
  const sent: string[] = []
  let allowance = allowed
  const prepare = async (wanted: string) => {
    if (allowance !== '0' && wanted !== '0') throw refused(reason)
    return { allowance, wanted } as unknown as PrepareApprovalResult
  }
  const send = async (built: PrepareApprovalResult) => {
    const { wanted } = built as unknown as { wanted: string }
    if (wanted === declines) throw new ProviderError(4001, 'no')
    sent.push(wanted)
    allowance = wanted
  }
  const told = await sendApproval(amount, prepare, send).then(
    () => null,
    (error: unknown) => explain(error),
  )
  return { sent, told }
}

describe('an approval for Gate', () => {
  it('is sent as it is where none stands', async () => {
    expect(await sentOf('25', '0')).toEqual({ sent: ['25'], told: null })
  })

  it('takes back first what stands, of a token that wants it', async () => {
    expect(await sentOf('25', '10')).toEqual({ sent: ['0', '25'], told: null })
  })

  it('that is declined then has left that one taken back', async () => {
    expect(await sentOf('25', '10', { declines: '25' })).toEqual({ sent: ['0'], told: walletWords.approvalCleared })
  })

  it('takes nothing back where the venue refuses it for another reason', async () => {
    expect(await sentOf('25', '10', { reason: 'quote_unknown' })).toEqual({ sent: [], told: 'quote_unknown' })
  })
})
