import { setImmediate } from 'node:timers/promises'
import { RpcError } from '../../chain/rpc-error.ts'
import type { Hex } from '../../chain/types.ts'
import { PreparedJson } from '../../http/prepared-json.ts'
import { AtBlock, type Venue } from '../../http/product.ts'
import { shareNext } from '../../lib/share-next.ts'
import { type NamedBlock, unreachable } from '../listing/pair.ts'
import { indexedBlock } from './indexed-block.ts'

// What depends on the newest indexed block alone is read once a block, however many ask for it.

/** Characters of the texts that are kept of one block, and how many; what comes beyond is read for each who asks. */
const KEPT_CHARACTERS = 16_000_000
const KEPT_ANSWERS = 10_000

/** Gives the newest indexed block, never one that was older when it was asked for. Throws `perp_not_indexed`. */
export type NewestBlock = () => Promise<NamedBlock>

/** A question begins after so many turns of the event loop even while more come that could share it. */
const MOST_TURNS = 16

/**
 * All who ask within a turn of the event loop share a statement, and those of the turns after it for as long as each brings more: for a
 * process at rest a turn takes microseconds, and for one under load a statement for each would cost it and the database as much as answering.
 */
export const openNewestBlock = ({ sql, deployment }: Pick<Venue, 'sql' | 'deployment'>): NewestBlock =>
  shareNext(() => indexedBlock(sql, deployment.chainId), whileMoreCome)

async function whileMoreCome(asked: () => number): Promise<void> {
  for (let turn = 0, before = 0; turn < MOST_TURNS && asked() > before; turn++) {
    before = asked()
    await setImmediate()
  }
}

/**
 * Returns the function that gives what `read` answers of the newest block or a later one, read again only for another block. A
 * failure is told to those who wait for it, that of the node as `perp_chain_unreachable`, and the next one asks anew.
 */
export function ofNewestBlock<T>(newest: NewestBlock, read: (block: NamedBlock) => Promise<T>): () => Promise<T> {
  let of: Hex | null = null
  let reading: Promise<T> | null = null
  return async () => {
    const block = await newest()
    if (reading && of === block.hash) return reading
    of = block.hash
    const started: Promise<T> = read(block).catch((cause) => {
      if (reading === started) reading = null
      throw cause instanceof RpcError ? unreachable(cause) : cause
    })
    reading = started
    return started
  }
}

/**
 * Gives what `read` answers, kept as JSON under `key` until another block is the newest: for answers that depend on the key and the
 * newest indexed block alone. A failure is kept for nobody.
 */
export type AnswerAtNewest = (key: string, read: () => Promise<AtBlock>) => Promise<PreparedAtBlock>

type PreparedAtBlock = AtBlock & { readonly data: PreparedJson }

export function answersAtNewest(newest: () => Promise<Pick<NamedBlock, 'hash'>>): AnswerAtNewest {
  let of: Hex | null = null
  let kept = new Map<string, PreparedAtBlock | Promise<PreparedAtBlock>>()
  let characters = 0
  const begin = (hash: Hex) => {
    of = hash
    kept = new Map()
    characters = 0
  }
  const keep = (key: string, read: () => Promise<PreparedAtBlock>): Promise<PreparedAtBlock> => {
    const ofBlock = kept
    const answer = read().then((one) => {
      ofBlock.set(key, one)
      if (kept === ofBlock) characters += one.data.text.length
      return one
    })
    ofBlock.set(key, answer)
    answer.catch(() => ofBlock.delete(key))
    return answer
  }
  return (key, read) =>
    newest().then(({ hash }) => {
      if (hash !== of) begin(hash)
      const known = kept.get(key)
      if (known) return known
      const asJson = async () => prepared(await read())
      return characters < KEPT_CHARACTERS && kept.size < KEPT_ANSWERS ? keep(key, asJson) : asJson()
    })
}

const prepared = ({ block, data }: AtBlock): PreparedAtBlock => {
  const json = data instanceof PreparedJson ? data : new PreparedJson(data)
  return Object.assign(new AtBlock(block, json), { data: json })
}
