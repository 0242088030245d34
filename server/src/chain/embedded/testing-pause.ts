import type { Rpc } from '../rpc.ts'

const BLOCK_TIME_SEC = 1

/** Has a development node make no blocks of its own accord meanwhile; one a second afterwards. */
export async function whilePaused<T>(rpc: Rpc, work: () => Promise<T>): Promise<T> {
  await rpc.call('evm_setIntervalMining', [0])
  try {
    return await work()
  } finally {
    await rpc.call('evm_setIntervalMining', [BLOCK_TIME_SEC])
  }
}
