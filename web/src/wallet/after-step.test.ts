import { describe, expect, it } from 'vitest'
import { explain } from '../lib/explain.ts'
import { afterStep } from './after-step.ts'
import { ProviderError } from './eip1193.ts'

const failing = (error: Error) =>
  afterStep('the approval stands', () => Promise.reject(error)).catch((thrown: unknown) => explain(thrown))

describe('a step after one that was sent', () => {
  it('that is declined tells what the one before it has left', async () => {
    expect(await failing(new ProviderError(4001, 'no'))).toBe('the approval stands')
  })

  it('that fails otherwise tells why, and its answer is passed on', async () => {
    expect(await failing(new Error('the market is closed'))).toBe('the market is closed')
    expect(await afterStep('x', async () => 7)).toBe(7)
  })
})
