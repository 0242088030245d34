import { encodeFunctionData, toHex } from 'viem'
import { type Artifact, readArtifact } from '../server/src/chain/deploy/artifacts.ts'
import type { Rpc } from '../server/src/chain/rpc.ts'
import type { Hex } from '../server/src/chain/types.ts'
import { chunks } from '../server/src/lib/chunks.ts'

const TRANSFERS_PER_TRANSACTION = 100
const TRANSACTIONS_PER_BLOCK = 10
const RECIPIENTS = 1000
/** Gas of one transaction: more than a hundred transfers to new holders need. */
const GAS = toHex(12_000_000)
const ENOUGH_RAW = 10n ** 30n

export interface Transfer {
  readonly from: Hex
  readonly to: Hex
  readonly amountRaw: bigint
}

export interface SentTransfers {
  readonly token: Hex
  readonly abi: Artifact['abi']
  /** In the order in which the chain has them. */
  readonly transfers: readonly Transfer[]
  /** The blocks that hold them. */
  readonly first: bigint
  readonly last: bigint
}

/** Makes a node that mines on command hold so many transfers of an ERC-20 token, many in each transaction. */
export async function sendTransfers(rpc: Rpc, total: number): Promise<SentTransfers> {
  const [from = '0x'] = await rpc.call<Hex[]>('eth_accounts')
  const submit = (to: Hex | undefined, data: Hex) =>
    rpc.call<Hex>('eth_sendTransaction', [{ from, to, data, gas: GAS }])
  const deploy = async (bytecode: Hex) => (await mined(rpc, await submit(undefined, bytecode))).contractAddress
  const [usdc, batch] = [await readArtifact('TestUSDC'), await readArtifact('TransferBatch')]
  const token = await deploy(usdc.bytecode)
  const payer = await deploy(batch.bytecode)
  for (const [functionName, owner] of [
    ['mint', from],
    ['approve', payer],
  ] as const) {
    const data = encodeFunctionData({ abi: usdc.abi, functionName, args: [owner, ENOUGH_RAW] })
    await mined(rpc, await submit(token, data))
  }
  const transfers = Array.from({ length: total }, (_, nth) => transferOf(from, nth))
  const paid = chunks(transfers, TRANSFERS_PER_TRANSACTION).map((part) => {
    const args = [token, part.map(({ to }) => to), part.map(({ amountRaw }) => amountRaw)]
    return encodeFunctionData({ abi: batch.abi, functionName: 'transferEach', args })
  })
  const first = (await blockNumber(rpc)) + 1n
  for (const block of chunks(paid, TRANSACTIONS_PER_BLOCK)) {
    const hashes: Hex[] = []
    for (const data of block) hashes.push(await submit(payer, data))
    await rpc.call('evm_mine')
    await succeeded(rpc, hashes)
  }
  return { token, abi: usdc.abi, transfers, first, last: await blockNumber(rpc) }
}

const blockNumber = async (rpc: Rpc): Promise<bigint> => BigInt(await rpc.call<Hex>('eth_blockNumber'))

interface Receipt {
  readonly status: Hex
  readonly contractAddress: Hex
}

async function mined(rpc: Rpc, hash: Hex): Promise<Receipt> {
  await rpc.call('evm_mine')
  const [receipt] = await succeeded(rpc, [hash])
  return receipt as Receipt
}

async function succeeded(rpc: Rpc, hashes: readonly Hex[]): Promise<Receipt[]> {
  const calls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
  const receipts = await rpc.batch<Receipt | null>(calls)
  return receipts.map((receipt, nth) => {
    if (receipt?.status !== '0x1') throw new Error(`transaction ${hashes[nth]} was not mined, or it failed`)
    return receipt
  })
}

/** No two in a row to the same holder or of the same amount. */
const transferOf = (from: Hex, nth: number): Transfer => ({
  from: from.toLowerCase() as Hex,
  to: toHex(BigInt(1 + (nth % RECIPIENTS)) << 80n, { size: 20 }),
  amountRaw: BigInt(1 + ((nth * 7919) % 1_000_003)),
})
