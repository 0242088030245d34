import { describe, expect, it } from 'vitest'
import { shortageOf } from './shortage.ts'
import { toWad } from './units.ts'

const purse = { balance: toWad('100'), walletBalance: toWad('50'), allowance: toWad('20') }
const needing = (amount: string, needsApproval = true) => ({ amount, needsApproval })

describe('what an action lacks', () => {
  it('is counted from the reserve and what Gate may take of the wallet', () => {
    expect(shortageOf(needing(toWad('121')), purse)).toEqual({ needed: toWad('121'), free: toWad('120') })
    const allowed = { ...purse, allowance: String(2n ** 256n - 1n) }
    expect(shortageOf(needing(toWad('151')), allowed)).toEqual({ needed: toWad('151'), free: toWad('150') })
  })

  it('is nothing where there is as much, where margin comes out, and where the venue could pay for it', () => {
    expect(shortageOf(needing(toWad('120')), purse)).toBeNull()
    expect(shortageOf(needing(`-${toWad('500')}`), purse)).toBeNull()
    expect(shortageOf(needing(toWad('500'), false), purse)).toBeNull()
    expect(shortageOf(null, purse)).toBeNull()
    expect(shortageOf(needing(toWad('500')), undefined)).toBeNull()
  })
})
