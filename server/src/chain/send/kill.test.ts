import { expect, test } from 'vitest'
import { lengthOf } from '../../lib/testing-campaign.ts'
import { SEND_STEPS } from './steps.ts'
import { FAULTS } from './testing/faults.ts'
import { devAccount, upTo } from './testing/harness.ts'
import { runCampaign } from './testing/kill-campaign.ts'

/** A process costs about a second of processor time until it is killed; two campaigns run side by side. */
const TIMEOUT_MS = 1_800_000

const alone = [{ purpose: 'settle', privateKey: devAccount(0).privateKey }]
/** Signers that submit for users, each user at one of them. */
const pool = upTo(4).map((index) => ({ purpose: 'submit', privateKey: devAccount(index + 1).privateKey }))

/** 204 kills in all, or 24. */
const KILLS_PER_STEP = lengthOf({ short: [1, 1], whole: [9, 8] } as const)

test('SIGKILLs at every named step of a send, before a faulty node: none lost, none twice, nonces dense', {
  timeout: TIMEOUT_MS,
}, async () => {
  const settled = await Promise.allSettled([
    runCampaign({ killsPerStep: KILLS_PER_STEP[0], seed: 20_261_121, signers: alone, dependent: false, reorgs: true }),
    runCampaign({ killsPerStep: KILLS_PER_STEP[1], seed: 11, signers: pool, dependent: true, reorgs: false }),
  ])
  const results = settled.map((result) => {
    if (result.status === 'rejected') throw result.reason
    return result.value
  })
  const kills = results.flatMap((result) => result.kills)
  expect(kills.length).toBeGreaterThanOrEqual(lengthOf({ short: 24, whole: 200 }))
  for (const step of SEND_STEPS) {
    const ofStep = kills.filter((killed) => killed === step).length
    expect(ofStep, step).toBe(KILLS_PER_STEP[0] + KILLS_PER_STEP[1])
  }
  for (const { kills: of, requests } of results) expect(requests).toBeGreaterThan(of.length)
  for (const fault of FAULTS) {
    expect(
      results.reduce((sum, { faults }) => sum + (faults.get(fault) ?? 0), 0),
      fault,
    ).toBeGreaterThan(0)
  }
})
