import { expect, it } from 'vitest'
import { configAbi } from '../../chain/abi/config.ts'
import { gateAbi } from '../../chain/abi/gate.ts'
import { instrumentAbi } from '../../chain/abi/instrument.ts'
import { linkMarketAbi } from '../../chain/abi/link-market.ts'
import { readArtifact } from '../../chain/deploy/artifacts.ts'
import { perpHandlers } from '../events.ts'
import { UNRECORDED } from './unrecorded.ts'

it('every event of the contracts is recorded, or has a reason why it is not', async () => {
  const stockMarket = await readArtifact('StockMarket')
  const abis = [configAbi, gateAbi, instrumentAbi, linkMarketAbi, stockMarket.abi]
  const events = new Set(abis.flatMap((abi) => abi.flatMap((item) => (item.type === 'event' ? [item.name] : []))))
  const recorded = Object.keys(perpHandlers)
  const stated = Object.keys(UNRECORDED)
  expect([...recorded, ...stated].sort()).toEqual([...events].sort())
})
