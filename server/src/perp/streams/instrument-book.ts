import type { Hex } from '../../chain/types.ts'
import type { InstrumentReader, Instruments } from '../listing/catalogue.ts'

/** Gives a list of instruments that has these; what is told of an instrument never changes, so that one reading serves until another is created. */
export function instrumentBook(instruments: InstrumentReader): (addresses: readonly Hex[]) => Promise<Instruments> {
  let known: Instruments | null = null
  return async (addresses) => {
    const has = (address: Hex) => known?.list.some((instrument) => instrument.address === address)
    if (known === null || !addresses.every(has)) known = await instruments()
    return known
  }
}
