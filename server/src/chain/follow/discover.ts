import type { Sql } from '../../db/pool.ts'
import { addSources, type CompiledModule, decodeLog, eventName } from './decode.ts'
import type { EventSource } from './event-module.ts'
import { addAddress, type FetchedBlock, removeAddress, type Sources } from './fetch.ts'

interface DiscoverContext {
  readonly modules: readonly CompiledModule[]
  readonly sources: Sources
}

/**
 * Adds the contracts that events of these blocks name to those that are followed, each from its event's block on. True when
 * there was a new one: the blocks then have to be fetched again, with what it logged in them.
 */
export function discover({ modules, sources }: DiscoverContext, blocks: readonly FetchedBlock[]): boolean {
  let found = false
  for (const compiled of modules) {
    const { discovery } = compiled.module
    if (!discovery) continue
    for (const { block, logs } of blocks) {
      for (const log of logs) {
        const name = eventName(compiled, log)
        const event = name !== null && discovery.events.includes(name) ? decodeLog(compiled, log) : null
        if (event) found = addNew(compiled, sources, discovery.sourcesOf(event), block.number) || found
      }
    }
  }
  return found
}

/**
 * Follows what the indexed blocks have named, and nothing else that was discovered: when a follower starts, and after a
 * reorganisation, which may have taken names back.
 */
export async function loadDiscovered(sql: Sql, chainId: number, { modules, sources }: DiscoverContext): Promise<void> {
  for (const compiled of modules) {
    for (const address of compiled.since.keys()) {
      compiled.sources.delete(address)
      removeAddress(sources, address)
    }
    compiled.since.clear()
    const known = (await compiled.module.discovery?.known(sql, chainId)) ?? []
    addNew(compiled, sources, known, 0n)
  }
}

function addNew(compiled: CompiledModule, sources: Sources, named: readonly EventSource[], since: bigint): boolean {
  const unknown = named.filter(({ address }) => !compiled.sources.has(address))
  addSources(compiled.sources, unknown)
  for (const { address } of unknown) {
    compiled.since.set(address, since)
    addAddress(sources, address)
  }
  return unknown.length > 0
}
