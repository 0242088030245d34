import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rm, stat, truncate } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createPublicClient, createTestClient, http } from 'viem'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { startAnvil } from './anvil.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bourse-anvil-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const read = (rpcUrl: string) => createPublicClient({ transport: http(rpcUrl), cacheTime: 0 })
const mine = (rpcUrl: string, blocks: number) =>
  createTestClient({ mode: 'anvil', transport: http(rpcUrl) }).mine({ blocks })

describe('the embedded chain', () => {
  it('keeps blocks and their hashes across a restart', async () => {
    const statePath = join(folder, 'chain.json')
    const first = await startAnvil({ noMining: true, statePath })
    await mine(first.rpcUrl, 5)
    const before = await read(first.rpcUrl).getBlock({ blockNumber: 3n })
    await first.stop()

    const second = await startAnvil({ noMining: true, statePath })
    expect(await read(second.rpcUrl).getBlockNumber()).toBe(5n)
    expect((await read(second.rpcUrl).getBlock({ blockNumber: 3n })).hash).toBe(before.hash)
    await second.stop()
  })

  it('takes over from a node that a killed venue left behind, with its state', async () => {
    const statePath = join(folder, 'chain.json')
    const orphan = await startAnvil({ noMining: true, statePath })
    await mine(orphan.rpcUrl, 2)
    const heir = await startAnvil({ noMining: true, statePath })
    expect(heir.pid).not.toBe(orphan.pid)
    expect(await read(heir.rpcUrl).getBlockNumber()).toBe(2n)
    await expect(read(orphan.rpcUrl).getBlockNumber()).rejects.toThrow()
    await heir.stop()
  })

  it.each(['cut short', 'not begun'])('starts from the whole copy when a kill has left a state %s', async (left) => {
    const statePath = join(folder, 'chain.json')
    const first = await startAnvil({ noMining: true, statePath, stateIntervalSec: 5 })
    await mine(first.rpcUrl, 3)
    const copied = async () => JSON.parse(await readFile(`${statePath}.copy`, 'utf8')).best_block_number
    // One copy may have been taken before the blocks were.
    await vi.waitFor(async () => expect(Number(await copied())).toBe(3), { timeout: 240_000 })
    await first.kill()
    await rm(statePath, { force: true })
    if (left === 'cut short') await copyFile(`${statePath}.copy`, statePath)
    if (left === 'cut short') await truncate(statePath, Math.floor((await stat(statePath)).size / 2))

    const second = await startAnvil({ noMining: true, statePath })
    expect(await read(second.rpcUrl).getBlockNumber()).toBe(3n)
    await second.stop()
  })

  it('is on record before it answers, and no longer where it does not start', async () => {
    const statePath = join(folder, 'chain.json')
    const unanswered = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('not yet'))
    const starting = startAnvil({ noMining: true, statePath })
    const recorded = vi.waitFor(() => readFile(`${statePath}.pid`, 'utf8'), { timeout: 20_000 })
    const pid = await recorded.finally(() => unanswered.mockRestore())
    const started = await starting
    expect(pid).toBe(String(started.pid))
    await started.stop()
    await expect(startAnvil({ statePath, mnemonic: 'no phrase' })).rejects.toThrow('did not start')
    expect(existsSync(`${statePath}.pid`)).toBe(false)
  })

  it('says why it does not start', async () => {
    const running = await startAnvil({ noMining: true })
    await expect(startAnvil({ noMining: true, port: running.port, chainId: 1 })).rejects.toThrow(/already in use/)
    await running.stop()
  })
})
