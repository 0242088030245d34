import type { Pair } from '../market-data/pair-reader.ts'

/** What stands beside `data` in a message of the stream (perp-api 7.2). */
export interface MessageHead extends Partial<Pair> {
  readonly stream: string
  readonly chainId?: number
}

/** A message as it goes over the wire, with all that its head has; `dataJson` is its payload's text. */
export const messageOf = <Head extends MessageHead>(head: Head, dataJson: string): string =>
  `${JSON.stringify(head).slice(0, -1)},"data":${dataJson}}`
