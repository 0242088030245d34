import type { Sql } from '../../db/pool.ts'
import { addSources, type CompiledModule, decodeLog, eventName } from './decode.ts'
import type { EventSource } from './event-module.ts'
import { addAddress, type FetchedBlock, type Sources } from './fetch.ts'

interface DiscoverContext {
  readonly modules: readonly CompiledModule[]
  readonly sources: Sources
}

/**
 * Adds the contracts that events of these blocks name to those that are followed. True when there was a new one: the
 * blocks then have to be fetched again, with what it logged in them. A contract whose block is reorganised away stays
 * among the followed ones, where it logs nothing.
 */
export function discover({ modules, sources }: DiscoverContext, blocks: readonly FetchedBlock[]): boolean {
  let found = false
  for (const compiled of modules) {
    const { discovery } = compiled.module
    if (!discovery) continue
    for (const log of blocks.flatMap((block) => block.logs)) {
      const name = eventName(compiled, log)
      const event = name !== null && discovery.events.includes(name) ? decodeLog(compiled, log) : null
      if (!event) continue
      found = addNew(compiled, sources, discovery.sourcesOf(event)) || found
    }
  }
  return found
}

/** Adds what the indexed blocks have named: for a follower that starts. */
export async function loadDiscovered(
  sql: Sql,
  chainId: number,
  modules: readonly CompiledModule[],
  sources: Sources,
): Promise<void> {
  for (const compiled of modules) {
    addNew(compiled, sources, (await compiled.module.discovery?.known(sql, chainId)) ?? [])
  }
}

function addNew(compiled: CompiledModule, sources: Sources, named: readonly EventSource[]): boolean {
  const unknown = named.filter(({ address }) => !compiled.sources.has(address))
  addSources(compiled.sources, unknown)
  for (const { address } of unknown) addAddress(sources, address)
  return unknown.length > 0
}
